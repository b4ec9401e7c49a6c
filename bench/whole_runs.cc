// Certified search and the scan, whole runs in turns: the same world, the same
// decisions, with rewards from which much, little or nothing can be learned.
// Single arms, slates of ten, and choices from a tenth or a thousandth of the
// arms. It fails if a decision differs.
//   build/bench_whole_runs

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "manyarms/bandit.h"
#include "manyarms/random.h"

namespace manyarms {
namespace {

using Clock = std::chrono::steady_clock;
using Role = RandomStream::Role;

constexpr std::size_t kDim = 16;
constexpr std::size_t kSlateSize = 10;
constexpr std::uint64_t kSteps = 5000;

enum class Question { kBest, kSlate, kTenth, kThousandth };

struct Rewards {
  const char* name;
  double signal;
  double noise;
};

struct Setting {
  PolicyOptions policy;
  std::string policy_name;
  std::size_t arms;
  Rewards rewards;
  Question question;
  std::uint64_t steps;
};

class World {
 public:
  explicit World(std::size_t arms)
      : rows_(arms * kDim), ids_(arms), tenth_(new bool[arms]), theta_(kDim) {
    RandomStream(1, Role::kArm, 0).Gaussians(rows_);
    RandomStream(1, Role::kTheta, 0).Gaussians(theta_);
    std::iota(ids_.begin(), ids_.end(), ArmId{0});
    for (std::size_t i = 0; i < arms; ++i) tenth_[i] = i % 10 == 0;
    for (std::size_t i = 0; i < arms; i += 1000) thousandth_.push_back(i);
  }

  void AddTo(Bandit& bandit) const {
    bandit.Add(ids_, std::span<const float>(rows_));
  }

  Eligible eligible(Question question) const {
    if (question == Question::kTenth) {
      return std::span<const bool>(tenth_.get(), ids_.size());
    }
    if (question == Question::kThousandth) return std::span(thousandth_);
    return {};
  }

  double Reward(const Decision& decision, const Rewards& rewards) const {
    double mean = 0;
    for (std::size_t j = 0; j < kDim; ++j) {
      mean += theta_[j] * rows_[decision.arm * kDim + j];
    }
    return rewards.signal * mean +
           rewards.noise *
               RandomStream(1, Role::kNoise, decision.id).Gaussian();
  }

 private:
  std::vector<float> rows_;
  std::vector<ArmId> ids_;
  std::unique_ptr<bool[]> tenth_;
  std::vector<ArmId> thousandth_;
  std::vector<double> theta_;
};

class Run {
 public:
  Run(const World& world, const Setting& setting, const SearchOptions& search)
      : world_(world),
        setting_(setting),
        bandit_({.dim = kDim, .policy = setting.policy, .search = search}) {
    world.AddTo(bandit_);
  }

  // A number of steps in a row. Returns the arms that were chosen.
  std::vector<ArmId> Steps(std::uint64_t steps) {
    std::vector<ArmId> chosen;
    const Clock::time_point start = Clock::now();
    for (std::uint64_t i = 0; i < steps; ++i) {
      const Clock::time_point before = Clock::now();
      const std::vector<Decision> decisions = Choose();
      choices_.push_back(Micros(Clock::now() - before));
      for (const Decision& decision : decisions) {
        chosen.push_back(decision.arm);
        bandit_.Learn(decision, world_.Reward(decision, setting_.rewards));
      }
    }
    seconds_ += 1e-6 * Micros(Clock::now() - start);
    return chosen;
  }

  double seconds() const { return seconds_; }
  // The choice that this part of all choices does not exceed.
  double Quantile(double part) {
    std::ranges::sort(choices_);
    return choices_[static_cast<std::size_t>(
        part * static_cast<double>(choices_.size() - 1))];
  }

 private:
  static double Micros(Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
  }

  std::vector<Decision> Choose() {
    const Eligible eligible = world_.eligible(setting_.question);
    if (setting_.question == Question::kSlate) {
      return bandit_.ChooseBest(kSlateSize, eligible);
    }
    return {bandit_.Choose(eligible)};
  }

  const World& world_;
  const Setting& setting_;
  Bandit bandit_;
  std::vector<double> choices_;
  double seconds_ = 0;
};

// The longest choice also depends on what else the machine does. So that of the
// scan stands beside it.
void Compare(const World& world, const Setting& setting) {
  constexpr std::uint64_t kTogether = 50;
  Run certified(world, setting, CertifiedOptions{});
  Run scan(world, setting, ScanOptions{});
  for (std::uint64_t step = 0; step < setting.steps; step += kTogether) {
    if (certified.Steps(kTogether) != scan.Steps(kTogether)) {
      throw std::logic_error("the decisions differ");
    }
  }
  const char* const questions[] = {"one arm", "slate", "tenth", "1/1000"};
  const double one = scan.Quantile(0.5);
  fmt::print(
      "{:<4} {:>9} {:<7} {:<6} {:>5} steps: {:.3f} of the scan's time; choices "
      "in scans of {:.1f} us: median {:.3f}, 99.9 % {:.2f} (scan {:.2f}), "
      "longest {:.2f} (scan {:.2f})\n",
      setting.policy_name, setting.arms,
      questions[static_cast<std::size_t>(setting.question)],
      setting.rewards.name, setting.steps, certified.seconds() / scan.seconds(),
      one, certified.Quantile(0.5) / one, certified.Quantile(0.999) / one,
      scan.Quantile(0.999) / one, certified.Quantile(1) / one,
      scan.Quantile(1) / one);
  std::fflush(stdout);
}

void CompareAll() {
  constexpr Rewards kRewards[] = {
      {"signal", 1, 1}, {"weak", 1, 100}, {"noise", 0, 1}};
  for (const std::size_t arms :
       {1000U, 10'000U, 50'000U, 200'000U, 1'000'000U}) {
    const World world(arms);
    for (const Question question : {Question::kBest, Question::kSlate,
                                    Question::kTenth, Question::kThousandth}) {
      for (const Rewards& rewards : kRewards) {
        Compare(world,
                {ThompsonOptions{}, "ts", arms, rewards, question, kSteps});
        Compare(world, {UcbOptions{}, "ucb", arms, rewards, question, kSteps});
      }
    }
  }
}

}  // namespace
}  // namespace manyarms

int main() try { manyarms::CompareAll(); } catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
