#ifndef MANYARMS_BASE_FREQUENCY_SKETCH_H_
#define MANYARMS_BASE_FREQUENCY_SKETCH_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace manyarms {

/// How often each of any number of keys occurred lately, in little memory: a
/// count-min sketch with conservative counting, whose counts are halved now and
/// then so that the past fades (TinyLFU: Einziger, Friedman and Manes, 2017). A
/// count may be too high, because keys share counters, but before the first
/// halving never too low.
class FrequencySketch {
 public:
  /// REQUIRES: `counters` is a power of two.
  explicit FrequencySketch(std::size_t counters) : counters_(counters) {}

  /// Counts an occurrence of a key and returns how many there were, up to 255.
  /// `hash` is a number in which all bits of the key are mixed.
  std::uint8_t Count(std::uint64_t hash) {
    const std::array<std::size_t, kRows> places = PlacesOf(hash);
    const std::uint8_t before = Least(places);
    if (before < kMost) {
      for (const std::size_t place : places) {
        if (counters_[place] == before) ++counters_[place];
      }
    }
    const std::uint8_t now = Least(places);
    // At most one occurrence for four counters since they were halved, so that
    // rare keys do not add up.
    if (++counted_ >= counters_.size() / kRows) Halve();
    return now;
  }

  std::uint8_t Of(std::uint64_t hash) const { return Least(PlacesOf(hash)); }

  std::size_t memory_bytes() const { return counters_.capacity(); }

 private:
  static constexpr std::size_t kRows = 4;
  static constexpr std::uint8_t kMost = 255;

  // Four places from two halves of the hash (Kirsch and Mitzenmacher, 2006).
  std::array<std::size_t, kRows> PlacesOf(std::uint64_t hash) const {
    const std::uint64_t step = hash >> 32 | 1;
    std::array<std::size_t, kRows> places;
    for (std::size_t row = 0; row < kRows; ++row) {
      places[row] = (hash + row * step) & (counters_.size() - 1);
    }
    return places;
  }

  std::uint8_t Least(const std::array<std::size_t, kRows>& places) const {
    std::uint8_t least = kMost;
    for (const std::size_t place : places) {
      least = std::min(least, counters_[place]);
    }
    return least;
  }

  void Halve() {
    for (std::uint8_t& counter : counters_) counter /= 2;
    counted_ /= 2;
  }

  std::vector<std::uint8_t> counters_;
  std::size_t counted_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_BASE_FREQUENCY_SKETCH_H_
