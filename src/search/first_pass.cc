#include "search/first_pass.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace manyarms {
namespace {

// A chunk of blocks is compared with one threshold. The first ones are small,
// because the threshold rises fast at first.
constexpr std::uint32_t kFirstChunk = 1;
constexpr std::uint32_t kLastChunk = 64;

// What takes as long as a scan takes for this number of bytes: to turn to
// another group, and to turn to a block of arms, which mostly waits for memory.
constexpr std::uint64_t kGroupPrice = 1024;
constexpr std::uint64_t kBlockPrice = 4096;
// Likewise to look up whether an arm is eligible.
constexpr std::uint64_t kLookUpPrice = 128;

// Rounding in square roots and products changes a width by far less than this
// part of it.
constexpr double kRelativeSlack = 0x1p-16;

constexpr double kUnit = 0x1p-24;  // the rounding error of a float

// A scan reads whole blocks, however few of their arms are eligible.
double ScanBytes(const ArmSet& arms, std::size_t dim) {
  return static_cast<double>(arms.blocks().size() * kLanes * dim *
                             sizeof(float));
}

}  // namespace

double NormBound(const RowMatrix& matrix, std::size_t most_columns) {
  const double frobenius = matrix.norm();
  if (!(frobenius > 0)) return frobenius;  // NaN, too
  constexpr double kRoundingUp = 1 + 1e-9;
  if (matrix.cols() > static_cast<Eigen::Index>(most_columns)) {
    const double columns = matrix.cwiseAbs().colwise().sum().maxCoeff();
    const double rows = matrix.cwiseAbs().rowwise().sum().maxCoeff();
    return std::min(frobenius, std::sqrt(columns * rows)) * kRoundingUp;
  }
  // |M|^8 = |(M'M)^4|, which is at most its Frobenius norm.
  Eigen::MatrixXd power = (matrix / frobenius).transpose() * matrix / frobenius;
  power *= power;
  power *= power;
  return frobenius * std::pow(power.norm(), 1.0 / 8) * kRoundingUp;
}

void FirstPass::TakeQuery(const Scorer& scorer, const Query& query) {
  const std::size_t dim =
      query.direction != nullptr
          ? static_cast<std::size_t>(query.direction->size())
          : static_cast<std::size_t>(query.factor->rows());
  const auto d = static_cast<double>(dim);
  per_length_ = 0;
  per_length_squared_ = 0;
  tiny_ = d * 0x1p-120;  // sums of products that underflow
  if (objective_ != Objective::kQuadraticForm) {
    direction_.Take(scorer.direction());
    per_length_ = 2 * d * kUnit * direction_.length();
  }
  if (objective_ != Objective::kInnerProduct) {
    // With more columns the better bound takes longer than it saves.
    constexpr std::size_t kMostColumns = 32;
    const std::uint64_t version = query.belief->version();
    if (norm_version_ != version) {
      norm_ = NormBound(*query.factor, kMostColumns);
      norm_version_ = version;
    }
    // The width of the widest direction is known but for the rounding errors
    // that updates have left.
    const double norm =
        std::min(norm_, query.belief->WidestWidth() * (1 + 0x1p-10));
    const double rounding = 4 * (d + 8) * kUnit * query.factor->norm();
    const double width =
        query.exploration * (norm * (1 + kRelativeSlack) + rounding);
    if (objective_ == Objective::kQuadraticOptimism) {
      // The square and the final addition round, too.
      per_length_squared_ = width * width * (1 + kRelativeSlack);
    } else {
      per_length_ += width;
    }
    // Squares below the smallest normal number vanish or are rounded up.
    tiny_ += std::sqrt(d) * 0x1p-60;
  }
}

// What an arm of this length may have beyond its inner product.
double FirstPass::Bonus(double length) const {
  return (per_length_ + per_length_squared_ * length) * length + tiny_;
}

// No arm of the group, nor any shorter one, has a higher score; for quadratic
// forms, no higher root of its score.
double FirstPass::Reach(const CompactCopy::Group& group) const {
  const double length = double{group.length()} * (1 + 0x1p-40);
  const double product =
      objective_ != Objective::kQuadraticForm ? direction_.length() : 0;
  return product * length + Bonus(length);
}

// An arm of the group whose <h, q> is below this has a score below the bar.
std::int32_t FirstPass::Threshold(const CompactCopy::Group& group,
                                  float bar) const {
  const double length = group.length();
  const double error = group.error();
  const double slack = direction_.Neglected(length, error) + Bonus(length);
  const double step = direction_.step() * group.scale();
  return kernels::CompactThreshold((double{bar} - slack) / step);
}

bool FirstPass::Find(const Request& request, const Scorer& scorer,
                     const Query& query, kernels::TopHits& top,
                     SearchCost& cost) {
  const double scan =
      ScanBytes(request.eligible != nullptr ? *request.eligible : request.arms,
                request.store.dim());
  if (request.store.compact_copy() == nullptr ||
      scan < static_cast<double>(limits_.least_scan_bytes)) {
    return false;
  }
  const std::size_t arms = request.arms.size();
  const std::size_t eligible =
      request.eligible != nullptr ? request.eligible->size() : arms;
  if (static_cast<double>(eligible) <
      limits_.least_eligible * static_cast<double>(arms)) {
    return false;
  }
  Backoff& backoff = BackoffFor(eligible, arms);
  if (!backoff.MayTry()) return false;
  TakeQuery(scorer, query);
  SearchCost spent;
  const auto most = static_cast<std::uint64_t>(limits_.most_of_scan * scan);
  const bool found = Read(request, scorer, most, top, spent);
  cost += spent;
  if (found) {
    backoff.Succeeded();
  } else {
    backoff.Failed();
  }
  return found;
}

Backoff& FirstPass::BackoffFor(std::size_t eligible, std::size_t arms) {
  const std::size_t one_of = arms / std::max<std::size_t>(eligible, 1);
  const auto halvings = static_cast<std::size_t>(std::bit_width(one_of / 2));
  return backoffs_[std::min(halvings, backoffs_.size() - 1)];
}

bool FirstPass::Read(const Request& request, const Scorer& scorer,
                     std::uint64_t most, kernels::TopHits& top,
                     SearchCost& cost) {
  const CompactCopy& copy = *request.store.compact_copy();
  const std::size_t block_bytes = kernels::CompactBlockBytes(copy.dim());
  const bool forms = objective_ == Objective::kQuadraticForm;
  std::uint32_t chunk = kFirstChunk;
  reaching_.resize(kLastChunk);
  const std::span<const CompactCopy::Group* const> groups = copy.groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const CompactCopy::Group* group = groups[g];
    if (g + 1 < groups.size()) groups[g + 1]->Prefetch();
    if (group->arms() == 0) continue;
    const float bar = top.bar();
    const double reach = Reach(*group);
    // Not written as <, so that NaN counts as reached.
    if (!(reach >= (forms ? std::sqrt(std::max(double{bar}, 0.0)) : bar)) &&
        reach < std::numeric_limits<double>::infinity()) {
      return true;
    }
    const bool read = group->ForEachRun([&](const CompactCopy::Run& run) {
      const std::uint32_t blocks = (run.arms + kLanes - 1) / kLanes;
      for (std::uint32_t first = 0; first < blocks;) {
        const std::uint32_t count = std::min(chunk, blocks - first);
        std::size_t entries = count;
        if (forms) {
          for (std::uint32_t i = 0; i < count; ++i) {
            reaching_[i] = {.block = i, .lanes = kAllLanes};
          }
        } else {
          entries = kernels::CompactReaching(
              run.blocks + first * block_bytes, count, direction_,
              Threshold(*group, top.bar()), reaching_);
          cost.bytes += count * block_bytes;
          cost.price += count * block_bytes;
        }
        if (entries > 0) {
          Score(request, scorer, run, first, entries, top, cost);
        }
        first += count;
        chunk = std::min(2 * chunk, kLastChunk);
        if (cost.price > most) return false;
      }
      return true;
    });
    if (!read) return false;
    cost.price += kGroupPrice;
  }
  return true;
}

void FirstPass::Score(const Request& request, const Scorer& scorer,
                      const CompactCopy::Run& run, std::uint32_t first_block,
                      std::size_t entries, kernels::TopHits& top,
                      SearchCost& cost) {
  exact_.clear();
  for (std::size_t i = 0; i < entries; ++i) {
    const std::uint32_t first = (first_block + reaching_[i].block) * kLanes;
    ForEachLane(reaching_[i].lanes, [&](std::uint32_t lane) {
      if (first + lane >= run.arms) return;
      const Slot slot = run.slots[first + lane];
      if (!request.all_arms && !request.arms.Contains(slot)) return;
      if (request.eligible != nullptr) {
        cost.price += kLookUpPrice;
        if (!request.eligible->Contains(slot)) return;
      }
      const std::uint32_t block = BlockOf(slot);
      if (exact_.empty() || exact_.back().block != block) {
        exact_.push_back({.block = block, .lanes = 0});
      }
      exact_.back().lanes |= 1U << LaneOf(slot);
      ++cost.arms;
    });
  }
  scorer.Top(request.store.blocks(), exact_, top);
  const std::size_t block_bytes = request.store.dim() * kLanes * sizeof(float);
  cost.bytes += exact_.size() * block_bytes;
  cost.price += exact_.size() * (block_bytes + kBlockPrice);
}

std::size_t FirstPass::memory_bytes() const {
  return direction_.memory_bytes() +
         (reaching_.capacity() + exact_.capacity()) * sizeof(MaskedBlock);
}

}  // namespace manyarms
