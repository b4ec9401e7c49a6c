#include "population/prior_source.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "base/check.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kFewestRewards = 64;
// Steps of expectation-maximisation each time, which begin where those of the
// last time ended.
constexpr int kSteps = 5;

std::optional<GaussianPrior> GivenBy(const PopulationPrior& kind) {
  if (const auto* given = std::get_if<GaussianPrior>(&kind)) return *given;
  return std::nullopt;
}

double GrowthOf(const PopulationPrior& kind) {
  const auto* shared = std::get_if<SharedPrior>(&kind);
  if (shared == nullptr) return 0;
  if (shared->refit_growth != 0) {
    CheckWithin("refit growth (0 for never)", shared->refit_growth, 0.01, 1e6);
  }
  return shared->refit_growth;
}

// The prior is learned from no more learners than this. Steps cost O(n^3) for
// each of them.
std::size_t MostLearners(std::size_t coefficients) {
  constexpr double kWork = 2e8;
  return static_cast<std::size_t>(std::clamp(
      kWork / std::pow(static_cast<double>(coefficients), 3), 32.0, 1000.0));
}

}  // namespace

GaussianPrior IsotropicPrior(const Posterior& fresh) {
  const std::size_t n = fresh.dim();
  GaussianPrior prior{.mean = std::vector<double>(n),
                      .precision = std::vector<double>(n * n)};
  for (std::size_t i = 0; i < n; ++i) {
    prior.precision[i * (n + 1)] = fresh.regularisation();
  }
  return prior;
}

PriorSource::PriorSource(const PopulationPrior& kind, double regularisation,
                         LearnerTable& learners, const Make& make)
    : shared_(std::holds_alternative<SharedPrior>(kind)),
      informative_(!std::holds_alternative<IndependentPrior>(kind)),
      growth_(GrowthOf(kind)),
      regularisation_(regularisation),
      learners_(learners),
      make_(make),
      next_refit_(NextRefit(0)) {
  std::optional<GaussianPrior> prior = GivenBy(kind);
  Posterior fresh = make(prior);
  if (shared_) {
    hierarchy_.emplace(fresh.dim(), regularisation);
    if (fresh.learning().rewards == RewardModel::kClicks) {
      hierarchy_->FixNoise();
    }
    // Evidence is computed from what learners began with.
    prior = IsotropicPrior(fresh);
  }
  now_ = std::make_shared<StartingPrior>(learners.NewAsker(), std::move(fresh),
                                         std::move(prior));
}

std::shared_ptr<const StartingPrior> PriorSource::Now() const {
  if (!shared_) return now_;
  const std::shared_lock lock(mutex_);
  return now_;
}

std::shared_ptr<const StartingPrior> PriorSource::Restored(
    const GaussianPrior& prior) const {
  return std::make_shared<StartingPrior>(learners_.NewAsker(), make_(prior),
                                         prior);
}

std::uint64_t PriorSource::NextRefit(std::uint64_t rewards) const {
  if (!shared_ || growth_ == 0) return kNever;
  const double more = std::min(growth_ * static_cast<double>(rewards), 1e15);
  return rewards + std::max(kFewestRewards, static_cast<std::uint64_t>(more));
}

std::optional<std::uint64_t> PriorSource::CountRewards(std::size_t count) {
  if (!shared_) return std::nullopt;
  if (rewards_.fetch_add(count) + count < next_refit_.load()) {
    return std::nullopt;
  }
  const std::unique_lock lock(learning_);
  // Another thread may have done it while this one waited.
  if (rewards_.load() < next_refit_.load()) return std::nullopt;
  return LearnNow();
}

std::optional<std::uint64_t> PriorSource::Learn() {
  const std::unique_lock lock(learning_);
  return LearnNow();
}

std::optional<std::uint64_t> PriorSource::LearnNow() {
  // Whether it succeeds or not: it is not tried again at once.
  next_refit_ = NextRefit(rewards_.load());
  try {
    const std::vector<Evidence> evidence = CollectEvidence();
    if (evidence.empty()) return std::nullopt;
    Hierarchy improved = *hierarchy_;  // which no other thread changes
    for (int step = 0; step < kSteps; ++step) improved.Improve(evidence);
    std::shared_ptr<const StartingPrior> prior =
        Restored(improved.PriorGiven(evidence));
    {
      const std::unique_lock changing(mutex_);
      now_.swap(prior);
      std::swap(*hierarchy_, improved);
    }
    ++refits_;
    return prior->asker;  // that of the former prior
  } catch (const std::exception&) {
    // The numbers are no prior, or memory ran out. The rewards were learned, so
    // nobody must think that they were not.
  }
  return std::nullopt;
}

std::vector<Evidence> PriorSource::CollectEvidence() const {
  // What takes long is done when the learners are free again.
  struct Copy {
    std::vector<double> packed;
    std::uint64_t rewards;
    std::shared_ptr<const StartingPrior> prior;
  };
  std::vector<Copy> copies;
  Posterior posterior = Now()->fresh;
  const std::size_t size = posterior.packed_size();
  learners_.Sample(
      MostLearners(posterior.dim()),
      [](const Learner& learner) { return learner.packed != nullptr; },
      [&](const Learner& learner) {
        const double* const packed = learner.packed.get();
        copies.push_back(
            {{packed, packed + size}, learner.rewards, learner.prior});
      });
  std::vector<Evidence> evidence;
  evidence.reserve(copies.size());
  for (const Copy& copy : copies) {
    posterior.Unpack(copy.packed, copy.rewards, copy.prior->fresh);
    evidence.push_back(EvidenceOf(posterior, *copy.prior->prior));
  }
  return evidence;
}

void PriorSource::Save(ByteWriter& writer) const {
  const std::shared_lock lock(mutex_);
  writer.Transfer(rewards_.load());
  writer.Transfer(next_refit_.load());
  writer.Transfer(refits_.load());
  writer.Transfer(now_->prior->mean);
  writer.Transfer(now_->prior->precision);
  const Eigen::MatrixXd& precision = hierarchy_->precision();
  writer.Values(
      std::span(precision.data(), static_cast<std::size_t>(precision.size())));
  writer.Transfer(hierarchy_->noise());
}

void PriorSource::Restore(ByteReader& reader) {
  rewards_ = reader.Next<std::uint64_t>();
  next_refit_ = reader.Next<std::uint64_t>();
  refits_ = reader.Next<std::uint64_t>();
  GaussianPrior prior;
  reader.Transfer(prior.mean);
  reader.Transfer(prior.precision);
  now_ = Restored(prior);
  const auto n = static_cast<Eigen::Index>(now_->fresh.dim());
  Eigen::MatrixXd precision(n, n);
  reader.Values(
      std::span(precision.data(), static_cast<std::size_t>(precision.size())));
  const auto noise = reader.Next<double>();
  CheckSaved(precision.allFinite() && precision == precision.transpose() &&
                 precision.llt().info() == Eigen::Success &&
                 std::isfinite(noise) && noise > 0 && rewards_ <= kMaxSteps,
             "what its prior was learned from is out of bounds");
  hierarchy_.emplace(regularisation_, precision, noise);
  if (now_->fresh.learning().rewards == RewardModel::kClicks) {
    hierarchy_->FixNoise();
  }
}

}  // namespace manyarms
