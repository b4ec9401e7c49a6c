#ifndef MANYARMS_PYTHON_PY_BANDIT_H_
#define MANYARMS_PYTHON_PY_BANDIT_H_

#include <nanobind/nanobind.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arm_names.h"
#include "decision.h"
#include "eligible.h"
#include "ids.h"
#include "manyarms/bandit.h"
#include "turns.h"

namespace manyarms::python {

/// A bandit whose arms may have texts for ids, and that threads may share: any
/// method may be called at any time, changes take turns, and readers wait for
/// changes that came before them. It uses no Python objects, so that it can
/// work while other threads hold the interpreter.
class PyBandit {
 public:
  explicit PyBandit(const BanditOptions& options) : bandit_(options) {}
  explicit PyBandit(const std::filesystem::path& path)
      : bandit_(Bandit::Load(path, &names_.names())) {
    names_.Loaded(bandit_.Ids());
  }
  explicit PyBandit(std::string_view bytes);
  PyBandit(const PyBandit&) = delete;
  PyBandit& operator=(const PyBandit&) = delete;

  void Reserve(std::size_t arms);
  void AddArms(const PyIds& ids, const FeatureRows& features);
  void RemoveArms(const PyIds& ids);
  void UpdateArms(const PyIds& ids, const FeatureRows& features);

  PyDecision Choose(const PyEligible& eligible, Context context);
  enum class Many { kBest, kDraws };
  std::vector<PyDecision> ChooseMany(std::size_t count, Many many,
                                     const PyEligible& eligible,
                                     std::span<const float> contexts);

  Probability Propensity(const DecisionOrId& decision, std::uint64_t draws,
                         const PyEligible& eligible, Context context);
  std::vector<Probability> Propensities(const PyIds& arms, std::uint64_t draws,
                                        const PyEligible& eligible,
                                        Context context);

  double LoggingProbability(const DecisionOrId& decision, std::uint64_t draws,
                            const PyEligible& eligible, Context context);

  void Learn(const DecisionOrId& decision, double reward);
  void Learn(const PyDecision& decision, double reward);
  void LearnMany(const std::vector<DecisionOrId>& decisions,
                 const std::vector<double>& rewards);
  void Dismiss(const DecisionOrId& decision);
  void Forget(double share);
  void Observe(const PyArm& arm, double reward, Context context);
  void ObserveMany(const PyIds& arms, const std::vector<double>& rewards,
                   const std::vector<float>& contexts);
  void ObserveFeatures(const std::vector<float>& features, double reward,
                       Context context);

  std::vector<float> Features(const PyIds& arms) const;
  std::vector<double> Scores(const PyIds& arms, Context context) const;
  std::vector<double> Uncertainty(const PyIds& arms, Context context) const;
  std::vector<double> Mean() const;
  std::vector<double> Predict(const FeatureRows& features,
                              std::span<const float> contexts) const;
  bool Contains(const PyArm& arm) const;
  PyIds Ids() const;
  std::size_t size() const;
  std::size_t pending() const;
  PolicyStats stats() const;
  const BanditOptions& options() const { return bandit_.options(); }

  void Save(const std::filesystem::path& path) const;
  std::string Bytes() const;

 private:
  void CheckOurs(const PyDecision& decision) const;
  DecisionId OurId(const DecisionOrId& decision) const;
  Numbers NumbersOf(const PyIds& ids) const {
    return names_.NumbersOf(ids, bandit_.size());
  }

  ArmNames names_;
  Bandit bandit_;
  Turns turns_;
};

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_PY_BANDIT_H_
