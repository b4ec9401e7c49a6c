#ifndef MANYARMS_CATALOGUE_BLOCK_POOL_H_
#define MANYARMS_CATALOGUE_BLOCK_POOL_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include "base/large_allocator.h"

namespace manyarms {

/// Memory for arrays of 2^k blocks, cut from slabs that lie on huge pages, so
/// that reading many such arrays needs few address translations. Arrays that
/// are given back are used again. The first slabs are small, so that few blocks
/// take little memory.
class BlockPool {
 public:
  static constexpr std::size_t kUnlimited =
      std::numeric_limits<std::size_t>::max();

  /// Tests set `most_bytes`: beyond it Take throws std::bad_alloc. REQUIRES: a
  /// block has a multiple of 64 bytes.
  explicit BlockPool(std::size_t block_bytes,
                     std::size_t most_bytes = kUnlimited)
      : block_bytes_(block_bytes),
        most_bytes_(most_bytes),
        largest_(Log2(kHugePage)),
        next_slab_(Log2(kFirstSlab)) {}

  /// REQUIRES: `blocks` is a power of 2, and they take at most a huge page.
  std::uint8_t* Take(std::uint32_t blocks) {
    return TakeLog2(static_cast<std::size_t>(std::countr_zero(blocks)));
  }

  /// REQUIRES: the array was taken with this number of blocks.
  void GiveBack(std::uint8_t* array, std::uint32_t blocks) {
    free_[static_cast<std::size_t>(std::countr_zero(blocks))].push_back(array);
  }

  std::size_t memory_bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kFirstSlab = std::size_t{16} << 10;

  std::size_t Log2(std::size_t bytes) const {
    const std::size_t blocks = bytes / block_bytes_;
    return blocks == 0 ? 0
                       : static_cast<std::size_t>(std::bit_width(blocks)) - 1;
  }

  std::uint8_t* TakeLog2(std::size_t log2) {
    std::vector<std::uint8_t*>& same_size = free_[log2];
    if (same_size.empty()) Supply(log2);
    std::uint8_t* array = same_size.back();
    same_size.pop_back();
    return array;
  }

  // Makes at least one array of this size free: a new slab, or half of a larger
  // array.
  void Supply(std::size_t log2) {
    if (NoneLarger(log2)) AddSlab(log2);
    if (!free_[log2].empty()) return;
    std::uint8_t* larger = TakeLog2(log2 + 1);
    free_[log2].push_back(larger);
    free_[log2].push_back(larger + (block_bytes_ << log2));
  }

  void AddSlab(std::size_t least_log2) {
    const std::size_t log2 = std::max(next_slab_, least_log2);
    const std::size_t bytes = block_bytes_ << log2;
    if (bytes_ + bytes > most_bytes_) throw std::bad_alloc();
    slabs_.push_back(MakeLargeBuffer<std::uint8_t>(bytes));
    bytes_ += LargeAllocator<std::uint8_t>::Bytes(bytes);
    free_[log2].push_back(slabs_.back().get());
    next_slab_ = std::min(log2 + 1, largest_);
  }

  bool NoneLarger(std::size_t log2) const {
    return std::all_of(free_.begin() + static_cast<std::ptrdiff_t>(log2) + 1,
                       free_.end(), [](const auto& f) { return f.empty(); });
  }

  const std::size_t block_bytes_;
  const std::size_t most_bytes_;
  const std::size_t largest_;  // log2 of the blocks in the largest slabs
  std::size_t next_slab_;      // and of those in the next one
  std::array<std::vector<std::uint8_t*>, 32> free_;  // by log2 of their size
  std::vector<LargeBuffer<std::uint8_t>> slabs_;
  std::size_t bytes_ = 0;
};

}  // namespace manyarms

#endif  // MANYARMS_CATALOGUE_BLOCK_POOL_H_
