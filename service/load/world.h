#ifndef MANYARMS_SERVICE_LOAD_WORLD_H_
#define MANYARMS_SERVICE_LOAD_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manyarms/random.h"
#include "research/zipf_law.h"

namespace manyarms::load {

struct WorldOptions {
  std::uint64_t arms = 100'000;
  std::size_t dim = 16;
  std::uint64_t learners = 10'000;
  /// Learner i comes with a probability proportional to 1/(i + 1)^zipf.
  double zipf = 1;
  /// Rewards are 0 or 1; otherwise real numbers around 0.
  bool clicks = false;
  std::uint64_t seed = 1;
};

/// A shop for simulated traffic: what its arms are called, their tags and
/// features, and what its learners like. Everything is a function of the seed
/// and a number, and next to nothing is stored. (Arms from options.arms on
/// exist, too.)
///
/// Thread safety: any number of threads may use it.
class World {
 public:
  static constexpr std::size_t kKinds = 24;

  explicit World(const WorldOptions& options);

  const WorldOptions& options() const { return options_; }

  /// Such as espresso-machine-0173.
  std::string NameOf(std::uint64_t arm) const;
  /// The arm of this name, if it can be one.
  std::optional<std::uint64_t> NumberOf(std::string_view name) const;
  /// Such as kitchen, red and sale.
  std::vector<std::string> TagsOf(std::uint64_t arm) const;
  /// REQUIRES: out.size() == options().dim.
  void Features(std::uint64_t arm, std::span<float> out) const;

  static std::string LearnerName(std::uint64_t learner);
  std::uint64_t DrawLearner(RandomStream& random) const;

  /// What the learner's reward of the arm is on average.
  double Expected(std::uint64_t learner, std::uint64_t arm) const;
  double Reward(std::uint64_t learner, std::uint64_t arm,
                RandomStream& random) const;

 private:
  std::size_t KindOf(std::uint64_t arm) const;
  double Liking(std::uint64_t learner, std::uint64_t arm) const;

  const WorldOptions options_;
  ZipfLaw law_;
  std::vector<float> kinds_;    // the features that arms of a kind share
  std::vector<double> common_;  // the taste that all learners share
};

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_WORLD_H_
