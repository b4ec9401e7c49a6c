#include "py_population.h"

#include <span>
#include <sstream>
#include <utility>

namespace nb = nanobind;

namespace manyarms::python {
namespace {

Population LoadBytes(std::string_view bytes, Names& names) {
  std::istringstream in{std::string(bytes)};
  return Population::Load(in, &names);
}

}  // namespace

template <class Work>
auto PyPopulation::ChangeArms(const Work& work) {
  const nb::gil_scoped_release release;
  const std::unique_lock lock(mutex_);
  return work();
}

template <class Work>
auto PyPopulation::WithArms(const Work& work) const {
  const nb::gil_scoped_release release;
  const std::shared_lock lock(mutex_);
  return work();
}

PyPopulation::PyPopulation(std::string_view bytes)
    : population_(LoadBytes(bytes, names_.names())) {
  names_.Loaded(population_.Ids());
}

void PyPopulation::Reserve(std::size_t arms) {
  ChangeArms([&] { population_.Reserve(arms); });
}

void PyPopulation::AddArms(const PyIds& ids, const FeatureRows& features) {
  ChangeArms([&] {
    population_.Add(names_.NewNumbers(ids, population_.size()), features);
    names_.Added(ids);
  });
}

void PyPopulation::RemoveArms(const PyIds& ids) {
  ChangeArms([&] {
    const Numbers numbers = names_.DistinctNumbersOf(ids, population_.size());
    population_.Remove(numbers);
    names_.Removed(numbers);
  });
}

void PyPopulation::UpdateArms(const PyIds& ids, const FeatureRows& features) {
  ChangeArms([&] {
    population_.Update(names_.DistinctNumbersOf(ids, population_.size()),
                       features);
  });
}

bool PyPopulation::Contains(const PyArm& arm) const {
  return WithArms([&] {
    if (const auto* text = std::get_if<std::string>(&arm)) {
      return names_.names().Contains(*text);
    }
    return !names_.has_texts() && population_.Contains(std::get<ArmId>(arm));
  });
}

PyIds PyPopulation::Ids() const {
  return WithArms([&] { return names_.Named(population_.Ids()); });
}

std::size_t PyPopulation::size() const {
  return WithArms([&] { return population_.size(); });
}

PyDecision PyPopulation::Choose(const LearnerKey& learner,
                                const PyEligible& eligible, Context context) {
  return WithArms([&] {
    Numbers numbers;
    return names_.Named(population_.Choose(
        learner, names_.EligibleFrom(eligible, population_.size(), numbers),
        context));
  });
}

std::vector<PyDecision> PyPopulation::ChooseMany(const LearnerKey& learner,
                                                 std::size_t count,
                                                 const PyEligible& eligible,
                                                 Context context) {
  return WithArms([&] {
    Numbers numbers;
    return names_.Named(population_.ChooseBest(
        learner, count,
        names_.EligibleFrom(eligible, population_.size(), numbers), context));
  });
}

std::vector<PyDecision> PyPopulation::ChooseFor(
    const std::vector<LearnerKey>& learners,
    const std::vector<float>& contexts) {
  return WithArms(
      [&] { return names_.Named(population_.ChooseFor(learners, contexts)); });
}

Probability PyPopulation::Propensity(const LearnerKey& learner,
                                     DecisionId decision, std::uint64_t draws,
                                     const PyEligible& eligible,
                                     Context context) {
  return WithArms([&] {
    Numbers numbers;
    const Eligible among =
        names_.EligibleFrom(eligible, population_.size(), numbers);
    return population_.Propensity(learner, decision, draws, among, context);
  });
}

std::vector<Probability> PyPopulation::Propensities(const LearnerKey& learner,
                                                    const PyIds& arms,
                                                    std::uint64_t draws,
                                                    const PyEligible& eligible,
                                                    Context context) {
  return WithArms([&] {
    Numbers numbers;
    const Eligible among =
        names_.EligibleFrom(eligible, population_.size(), numbers);
    return population_.Propensities(learner, NumbersOf(arms), draws, among,
                                    context);
  });
}

double PyPopulation::LoggingProbability(const LearnerKey& learner,
                                        DecisionId decision,
                                        std::uint64_t draws,
                                        const PyEligible& eligible,
                                        Context context) {
  return WithArms([&] {
    Numbers numbers;
    const Eligible among =
        names_.EligibleFrom(eligible, population_.size(), numbers);
    return population_.LoggingProbability(learner, decision, draws, among,
                                          context);
  });
}

void PyPopulation::Learn(const LearnerKey& learner, DecisionId decision,
                         double reward) {
  WithArms([&] { population_.Learn(learner, decision, reward); });
}

void PyPopulation::LearnMany(const LearnerKey& learner,
                             const std::vector<DecisionId>& decisions,
                             const std::vector<double>& rewards) {
  WithArms([&] { population_.Learn(learner, decisions, rewards); });
}

void PyPopulation::LearnFor(const std::vector<LearnerKey>& learners,
                            const std::vector<DecisionId>& decisions,
                            const std::vector<double>& rewards) {
  WithArms([&] { population_.LearnFor(learners, decisions, rewards); });
}

void PyPopulation::Dismiss(const LearnerKey& learner, DecisionId decision) {
  WithArms([&] { population_.Dismiss(learner, decision); });
}

void PyPopulation::Observe(const LearnerKey& learner, const PyArm& arm,
                           double reward, Context context) {
  WithArms([&] {
    population_.Observe(learner, names_.NumberOf(arm, population_.size()),
                        reward, context);
  });
}

void PyPopulation::ObserveFeatures(const LearnerKey& learner,
                                   const std::vector<float>& features,
                                   double reward, Context context) {
  WithArms([&] { population_.Observe(learner, features, reward, context); });
}

std::vector<double> PyPopulation::Predict(
    const LearnerKey& learner, const FeatureRows& features,
    std::span<const float> contexts) const {
  return WithArms(
      [&] { return population_.Predict(learner, features, contexts); });
}

std::vector<float> PyPopulation::Features(const PyIds& arms) const {
  return WithArms([&] { return population_.Features(NumbersOf(arms)); });
}

std::vector<double> PyPopulation::Scores(const LearnerKey& learner,
                                         const PyIds& arms,
                                         Context context) const {
  return WithArms(
      [&] { return population_.Scores(learner, NumbersOf(arms), context); });
}

std::vector<double> PyPopulation::Uncertainty(const LearnerKey& learner,
                                              const PyIds& arms,
                                              Context context) const {
  return WithArms([&] {
    return population_.Uncertainty(learner, NumbersOf(arms), context);
  });
}

bool PyPopulation::LearnPrior() {
  return WithArms([&] { return population_.LearnPrior(); });
}

void PyPopulation::Forget(const LearnerKey& learner) {
  WithArms([&] { population_.Forget(learner); });
}

void PyPopulation::Forget(const LearnerKey& learner, double share) {
  WithArms([&] { population_.Forget(learner, share); });
}

std::vector<LearnerKey> PyPopulation::Learners() const {
  return WithArms([&] { return population_.Learners(); });
}

std::string PyPopulation::Export(const LearnerKey& learner) const {
  const std::vector<std::byte> exported =
      WithArms([&] { return population_.Export(learner); });
  return {reinterpret_cast<const char*>(exported.data()),  // NOLINT: bytes
          exported.size()};
}

void PyPopulation::Import(const LearnerKey& learner,
                          std::string_view exported) {
  WithArms(
      [&] { population_.Import(learner, std::as_bytes(std::span(exported))); });
}

PopulationStats PyPopulation::stats() const {
  return WithArms([&] { return population_.stats(); });
}

void PyPopulation::Save(const std::filesystem::path& path) const {
  WithArms([&] { population_.Save(path, &names_.names()); });
}

std::string PyPopulation::Bytes() const {
  return WithArms([&] {
    std::ostringstream out;
    population_.Save(out, &names_.names());
    return std::move(out).str();
  });
}

}  // namespace manyarms::python
