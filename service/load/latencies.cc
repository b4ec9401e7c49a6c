#include "service/load/latencies.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace manyarms::load {
namespace {

constexpr int kBits = 7;  // 2^7 buckets for each power of two
constexpr std::uint64_t kLongest = (std::uint64_t{1} << 40) - 1;

int ShiftOf(std::uint64_t value) {
  return std::max(0, static_cast<int>(std::bit_width(value)) - kBits - 1);
}

std::size_t BucketOf(std::uint64_t value) {
  const int shift = ShiftOf(value);
  return (static_cast<std::size_t>(shift) << kBits) + (value >> shift);
}

// The largest value in a bucket.
std::uint64_t EndOf(std::size_t bucket) {
  if (bucket < (std::size_t{2} << kBits)) return bucket;
  const std::size_t shift = (bucket >> kBits) - 1;
  const std::size_t step = bucket - (shift << kBits);
  return ((step + 1) << shift) - 1;
}

constexpr double kSecond = 1e9;

}  // namespace

Latencies::Latencies() : buckets_(BucketOf(kLongest) + 1) {}

void Latencies::Record(std::uint64_t nanoseconds) {
  const std::uint64_t value = std::min(nanoseconds, kLongest);
  ++buckets_[BucketOf(value)];
  ++count_;
  sum_ += value;
  max_ = std::max(max_, value);
}

void Latencies::Add(const Latencies& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    buckets_[i] += other.buckets_[i];
  }
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double Latencies::Quantile(double share) const {
  if (count_ == 0) return 0;
  const auto rank = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(
             std::ceil(share * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank) {
      return static_cast<double>(std::min(EndOf(i), max_)) / kSecond;
    }
  }
  return Max();
}

double Latencies::Max() const { return static_cast<double>(max_) / kSecond; }

double Latencies::Mean() const {
  if (count_ == 0) return 0;
  return static_cast<double>(sum_) / static_cast<double>(count_) / kSecond;
}

}  // namespace manyarms::load
