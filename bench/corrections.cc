// Shows what happens without each correction of the paper's text.
//
// This is a plain implementation of Algorithms 2 and 3, with a switch for each
// place where the text had to be corrected. It looks at all arms for every
// question and uses nothing of the library but the synthetic world and its
// random numbers. With all corrections it makes the decisions of `elim` x
// `scan`, except for the random choices in the last stage and for rounding.

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "manyarms/random.h"
#include "manyarms/research/environment.h"

namespace manyarms {
namespace {

constexpr std::uint64_t kSteps = 20000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How the text is read. The defaults are the corrected reading.
struct Reading {
  double radius = 2;
  bool natural_logarithm = false;
  // An arm whose uncertainty exceeds its stage's width has the stage's key all
  // the same (Algorithm 2, line 8, for the arms of Algorithm 3, line 5).
  bool key_without_bound = false;
  // New arms are compared with the threshold only when it rises (line 10).
  bool newcomers_unchecked = false;
  double accepted = 1;  // share of r from which an arm is played
  // The threshold stays when the arm that determines it is removed.
  bool threshold_stays = false;
  bool no_recovery = false;  // the run ends when all arms are eliminated
};

class PlainElimination {
 public:
  PlainElimination(std::size_t dim, const Reading& reading)
      : reading_(reading),
        last_(static_cast<int>(std::ceil(Log(1 / (8 * kAccuracy))))),
        inverse_(Eigen::MatrixXd::Identity(Index(dim), Index(dim))),
        moment_(Eigen::VectorXd::Zero(Index(dim))),
        mean_(moment_) {}

  void Add(ArmId id, const std::vector<float>& features) {
    features_[id] = Eigen::Map<const Eigen::VectorXf>(features.data(),
                                                      Index(features.size()))
                        .cast<double>();
    Admit({id});
  }

  void Remove(ArmId id) {
    stage_.erase(id);
    key_.erase(id);
    features_.erase(id);
    if (id == carrier_ && !reading_.threshold_stays) Lower();
  }

  // Returns false if there is no arm left to play.
  bool Choose(RandomStream& random, ArmId& chosen) {
    for (;;) {
      int first = last_ + 1;
      for (const auto& [id, stage] : stage_) first = std::min(first, stage);
      if (first > last_) {
        if (reading_.no_recovery) return false;
        ++recoveries_;
        Lower();
        continue;
      }
      std::vector<ArmId> members;
      for (const auto& [id, stage] : stage_) {
        if (stage == first) members.push_back(id);
      }
      if (first == last_) {
        chosen = members[random.Below(members.size())];
        return true;
      }
      double widest = -1;
      for (const ArmId id : members) {
        const double u = Uncertainty(id);
        if (u > widest) {
          widest = u;
          chosen = id;
        }
      }
      const double sought =
          std::ldexp(1.0, -2 * first - 2) * (1 - kAccuracy * kAccuracy);
      if (widest * widest >= reading_.accepted * sought) return true;
      for (const ArmId id : members) stage_.erase(id);
      Admit(members);
      // If an arm stays in the stage, the loop would never end.
      if (std::ranges::any_of(members, [&](ArmId id) {
            const auto found = stage_.find(id);
            return found != stage_.end() && found->second <= first;
          })) {
        return true;
      }
    }
  }

  void Learn(ArmId id, double reward) {
    const Eigen::VectorXd& x = features_.at(id);
    const Eigen::VectorXd along = inverse_ * x;
    inverse_ -= along * along.transpose() / (1 + x.dot(along));
    moment_ += reward * x;
    mean_ = inverse_ * moment_;
  }

  int recoveries() const { return recoveries_; }

 private:
  static constexpr double kAccuracy = 0.01;

  static Eigen::Index Index(std::size_t n) {
    return static_cast<Eigen::Index>(n);
  }

  double Log(double value) const {
    return reading_.natural_logarithm ? std::log(value) : std::log2(value);
  }

  double Uncertainty(ArmId id) const {
    const Eigen::VectorXd& x = features_.at(id);
    return reading_.radius * std::sqrt(x.dot(inverse_ * x));
  }

  int StageOf(double uncertainty) const {
    return static_cast<int>(std::clamp(std::floor(-Log(uncertainty)), 0.0,
                                       static_cast<double>(last_)));
  }

  void Raise(ArmId id) {
    const double lower = features_.at(id).dot(mean_) - Uncertainty(id);
    if (lower > threshold_) {
      threshold_ = lower;
      carrier_ = id;
    }
  }

  void Admit(const std::vector<ArmId>& ids) {
    const double before = threshold_;
    for (const ArmId id : ids) Raise(id);
    for (const ArmId id : ids) {
      const double uncertainty = Uncertainty(id);
      const int stage = StageOf(uncertainty);
      const double width = std::ldexp(1.0, -stage);
      stage_[id] = stage;
      key_[id] = uncertainty <= width || reading_.key_without_bound
                     ? features_.at(id).dot(mean_) + width
                     : kInfinity;
    }
    if (threshold_ > before || !reading_.newcomers_unchecked) {
      std::erase_if(stage_, [this](const auto& entry) {
        return key_[entry.first] < threshold_;
      });
    }
  }

  void Lower() {
    threshold_ = -kInfinity;
    for (const auto& [id, stage] : stage_) Raise(id);
    std::vector<ArmId> back;
    for (const auto& [id, key] : key_) {
      if (!stage_.contains(id) && key >= threshold_) back.push_back(id);
    }
    Admit(back);
  }

  const Reading reading_;
  const int last_;
  Eigen::MatrixXd inverse_;
  Eigen::VectorXd moment_;
  Eigen::VectorXd mean_;
  std::map<ArmId, Eigen::VectorXd> features_;
  std::map<ArmId, int> stage_;   // of the arms that are not eliminated
  std::map<ArmId, double> key_;  // of all arms
  double threshold_ = -kInfinity;
  ArmId carrier_ = 0;
  int recoveries_ = 0;
};

struct Outcome {
  double regret = 0;
  std::uint64_t steps = 0;  // fewer than kSteps if no arm was left to play
  int recoveries = 0;
};

Outcome Play(const SyntheticOptions& options, const Reading& reading) {
  const auto world = MakeSynthetic(options);
  PlainElimination policy(options.dim, reading);
  std::vector<float> features(options.dim);
  const auto add = [&](ArmId id) {
    world->Features(id, features);
    policy.Add(id, features);
  };
  for (ArmId id = 0; id < options.arms; ++id) add(id);
  Outcome outcome;
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    const Change change = world->Advance(step);
    for (const ArmId id : change.removed) policy.Remove(id);
    for (const ArmId id : change.added) add(id);
    RandomStream random(options.seed, RandomStream::Role::kPick, step);
    ArmId chosen = 0;
    if (!policy.Choose(random, chosen)) break;
    policy.Learn(chosen, world->Reward(chosen, step));
    outcome.regret += world->Regret(chosen);
    outcome.steps = step;
  }
  outcome.recoveries = policy.recoveries();
  return outcome;
}

void Report(const char* name, const SyntheticOptions& world,
            const Reading& reading) {
  constexpr std::uint64_t kRuns = 10;
  double regret = 0;
  double squares = 0;
  std::uint64_t ended = 0;
  std::uint64_t first_end = kSteps;
  int recoveries = 0;
  for (std::uint64_t run = 1; run <= kRuns; ++run) {
    SyntheticOptions options = world;
    options.seed = run;
    options.theta_seed = run;
    const Outcome outcome = Play(options, reading);
    regret += outcome.regret / kRuns;
    squares += outcome.regret * outcome.regret / kRuns;
    ended += outcome.steps < kSteps ? 1 : 0;
    first_end = std::min(first_end, outcome.steps);
    recoveries += outcome.recoveries;
  }
  std::string remark;
  if (ended > 0) {
    remark =
        fmt::format("nothing left to play in {} of {} runs, first at step {}",
                    ended, kRuns, first_end + 1);
  } else if (recoveries > 0) {
    remark =
        fmt::format("all arms eliminated {:.1f} times a run, and brought back",
                    static_cast<double>(recoveries) / kRuns);
  }
  fmt::print(
      "| {} | {:.0f} ± {:.0f} | {} |\n", name, regret,
      std::sqrt(std::max(squares - regret * regret, 0.0) * kRuns / (kRuns - 1)),
      remark);
  std::fflush(stdout);
}

void Main() {
  const SyntheticOptions growing{.arms = 3000};
  fmt::print("| reading | regret, 10 runs | |\n|---|---|---|\n");
  Report("corrected", growing, {});
  Report("natural logarithms", growing, {.natural_logarithm = true});
  Report("first arms get the key of stage 0, though they are less certain",
         growing, {.key_without_bound = true, .no_recovery = true});
  Report("new arms are not compared with the threshold", growing,
         {.newcomers_unchecked = true});
  Report("arms are played from a quarter of r on", growing, {.accepted = 0.25});
  Report("exploration 1; the end when all arms are eliminated", growing,
         {.radius = 1, .no_recovery = true});
  Report("exploration 1, arms brought back", growing, {.radius = 1});
  // All of the first arms have been removed after some 3,000 steps.
  const SyntheticOptions churning{.arms = 3000, .add = 20, .remove = 20};
  Report("with deletions, corrected", churning, {});
  Report("with deletions, the threshold of a removed arm stays", churning,
         {.threshold_stays = true});
  Report("the same; the end when all arms are eliminated", churning,
         {.threshold_stays = true, .no_recovery = true});
}

}  // namespace
}  // namespace manyarms

int main() { manyarms::Main(); }
