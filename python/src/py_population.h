#ifndef MANYARMS_PYTHON_PY_POPULATION_H_
#define MANYARMS_PYTHON_PY_POPULATION_H_

#include <nanobind/nanobind.h>

#include <filesystem>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "arm_names.h"
#include "decision.h"
#include "eligible.h"
#include "fair_mutex.h"
#include "ids.h"
#include "manyarms/population.h"

namespace manyarms::python {

/// A population whose arms may have texts for ids. The library takes care of
/// threads; the lock here is for the names of arms: those who change arms have
/// it alone, all others share it. It uses no Python objects.
class PyPopulation {
 public:
  explicit PyPopulation(const PopulationOptions& options)
      : population_(options) {}
  explicit PyPopulation(const std::filesystem::path& path)
      : population_(Population::Load(path, &names_.names())) {
    names_.Loaded(population_.Ids());
  }
  explicit PyPopulation(std::string_view bytes);
  PyPopulation(const PyPopulation&) = delete;
  PyPopulation& operator=(const PyPopulation&) = delete;

  void Reserve(std::size_t arms);
  void AddArms(const PyIds& ids, const FeatureRows& features);
  void RemoveArms(const PyIds& ids);
  void UpdateArms(const PyIds& ids, const FeatureRows& features);
  bool Contains(const PyArm& arm) const;
  PyIds Ids() const;
  std::size_t size() const;

  PyDecision Choose(const LearnerKey& learner, const PyEligible& eligible,
                    Context context);
  std::vector<PyDecision> ChooseMany(const LearnerKey& learner,
                                     std::size_t count,
                                     const PyEligible& eligible,
                                     Context context);
  std::vector<PyDecision> ChooseFor(const std::vector<LearnerKey>& learners,
                                    const std::vector<float>& contexts);

  Probability Propensity(const LearnerKey& learner, DecisionId decision,
                         std::uint64_t draws, const PyEligible& eligible,
                         Context context);
  std::vector<Probability> Propensities(const LearnerKey& learner,
                                        const PyIds& arms, std::uint64_t draws,
                                        const PyEligible& eligible,
                                        Context context);
  double LoggingProbability(const LearnerKey& learner, DecisionId decision,
                            std::uint64_t draws, const PyEligible& eligible,
                            Context context);

  void Learn(const LearnerKey& learner, DecisionId decision, double reward);
  void LearnMany(const LearnerKey& learner,
                 const std::vector<DecisionId>& decisions,
                 const std::vector<double>& rewards);
  void LearnFor(const std::vector<LearnerKey>& learners,
                const std::vector<DecisionId>& decisions,
                const std::vector<double>& rewards);
  void Dismiss(const LearnerKey& learner, DecisionId decision);
  void Observe(const LearnerKey& learner, const PyArm& arm, double reward,
               Context context);
  void ObserveFeatures(const LearnerKey& learner,
                       const std::vector<float>& features, double reward,
                       Context context);

  std::vector<double> Predict(const LearnerKey& learner,
                              const FeatureRows& features,
                              std::span<const float> contexts) const;
  std::vector<float> Features(const PyIds& arms) const;
  std::vector<double> Scores(const LearnerKey& learner, const PyIds& arms,
                             Context context) const;
  std::vector<double> Uncertainty(const LearnerKey& learner, const PyIds& arms,
                                  Context context) const;

  bool LearnPrior();
  void Forget(const LearnerKey& learner);
  void Forget(const LearnerKey& learner, double share);
  std::vector<LearnerKey> Learners() const;
  std::string Export(const LearnerKey& learner) const;
  void Import(const LearnerKey& learner, std::string_view exported);
  PopulationStats stats() const;

  void Save(const std::filesystem::path& path) const;
  std::string Bytes() const;

  /// For what takes a microsecond and needs no names.
  const Population& population() const { return population_; }
  const PopulationOptions& options() const { return population_.options(); }

 private:
  // Both release the interpreter while they wait and work.
  template <class Work>
  auto ChangeArms(const Work& work);
  template <class Work>
  auto WithArms(const Work& work) const;

  Numbers NumbersOf(const PyIds& ids) const {
    return names_.NumbersOf(ids, population_.size());
  }

  ArmNames names_;
  Population population_;
  mutable FairMutex mutex_{LockLevel::kCaller};
};

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_PY_POPULATION_H_
