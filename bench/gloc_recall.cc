// Measures how often a search finds the best arm for the questions of qgloc and
// gloc-ts. A learner plays by a scan, and each search is asked the same
// questions. A line of JSON for each search.

#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "catalogue/arm_store.h"
#include "manyarms/random.h"
#include "policy/kinds.h"
#include "policy/questions.h"
#include "search/kinds.h"
#include "search/searcher.h"

namespace manyarms {
namespace {

using Role = RandomStream::Role;

constexpr std::size_t kDim = 16;
constexpr std::size_t kArms = 5000;
constexpr std::uint64_t kSteps = 1000;

// The processor time of this thread, which other work on the machine does not
// change much.
double Seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

struct Asked {
  std::string_view name;
  std::unique_ptr<Searcher> search;
  std::uint64_t found = 0;
  double seconds = 0;
};

void Measure(const PolicyOptions& policy) {
  ArmStore store(kDim);
  std::vector<Slot> slots;
  std::vector<float> row(kDim);
  for (ArmId id = 0; id < kArms; ++id) {
    RandomStream(1, Role::kArm, id).Gaussians(row);
    slots.push_back(store.Add(id, row));
  }
  Eigen::VectorXd theta(kDim);
  RandomStream(1, Role::kTheta, 0).Gaussians(std::span(theta.data(), kDim));

  const Objective objective = ObjectiveOf(policy);
  const auto ask = [&](std::string_view name, const SearchOptions& options) {
    Asked asked{
        .name = name,
        .search = std::make_unique<Searcher>(options, objective, store, 1)};
    asked.search->Add(slots);
    return asked;
  };
  std::vector<Asked> all;
  all.push_back(ask("scan", ScanOptions{}));
  all.push_back(ask("certified", CertifiedOptions{.background = false}));
  all.push_back(ask("hnsw, beam 30", HnswOptions{}));
  all.push_back(ask("hnsw, beam 400", HnswOptions{.effort = 400}));
  all.push_back(ask("lsh", LshOptions{.min_depth = 1}));

  Posterior posterior(kDim, 1, {.pseudo_rewards = PseudoRewardsOf(policy)});
  const ContextModel model({.arm_dim = kDim});
  const auto questions = MakeQuestions(policy, posterior, model);
  if (questions->needs_inverse()) posterior.KeepInverse();
  std::set<Slot> winners;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    const Query query = questions->Ask(
        {.posterior = posterior, .seed = 1, .draw = step, .context = {}});
    Slot best = kNoSlot;
    for (Asked& asked : all) {
      const double start = Seconds();
      const Slot answer = asked.search->Best(query)->slot;
      asked.seconds += Seconds() - start;
      if (best == kNoSlot) best = answer;  // the scan's
      asked.found += answer == best ? 1 : 0;
    }
    winners.insert(best);
    store.CopyFeatures(best, row);
    double reward = RandomStream(1, Role::kNoise, step).Gaussian();
    for (std::size_t j = 0; j < kDim; ++j) {
      reward += theta[static_cast<Eigen::Index>(j)] * row[j];
    }
    posterior.Update(row, reward);
  }
  for (const Asked& asked : all) {
    fmt::print(
        "{{\"part\": \"recall\", \"policy\": \"{}\", \"search\": \"{}\", "
        "\"arms\": {}, \"dim\": {}, \"recall\": {}, \"us\": {:.4g}, "
        "\"scored\": {:.4g}, \"winners\": {}}}\n",
        PolicyName(policy), asked.name, kArms, kDim,
        static_cast<double>(asked.found) / kSteps, 1e6 * asked.seconds / kSteps,
        static_cast<double>(asked.search->stats().arms_scored) / kSteps,
        winners.size());
  }
}

}  // namespace
}  // namespace manyarms

int main() {
  manyarms::Measure(manyarms::GlocTsOptions{.exploration = 1, .norm_bound = 6});
  manyarms::Measure(
      manyarms::QglocOptions{.exploration = 0.1, .norm_bound = 6});
}
