#ifndef MANYARMS_BASE_LARGE_ALLOCATOR_H_
#define MANYARMS_BASE_LARGE_ALLOCATOR_H_

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace manyarms {

/// The size of a huge page on x86-64 and on most ARM systems.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Asks for huge pages for memory that was not touched yet. If this fails,
/// everything works, only slower.
inline void AdviseHugePages([[maybe_unused]] void* memory,
                            [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  // The system takes whole pages only; the first byte may lie within one.
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(memory) % kHugePage) %
      kHugePage;
  if (bytes < before + kHugePage) return;
  madvise(static_cast<char*>(memory) + before, bytes - before, MADV_HUGEPAGE);
#endif
}

/// An allocator for arrays that are read at the speed of memory or in random
/// places. Arrays are aligned to cache lines, and large ones lie on huge pages,
/// so that the processor needs fewer address translations.
template <class T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(  // NOLINT(google-explicit-constructor): allocators convert
      const LargeAllocator<U>&) noexcept {}

  /// What an array takes.
  static constexpr std::size_t Bytes(std::size_t count) {
    const std::size_t unit = Alignment(count);
    return std::max(unit, (count * sizeof(T) + unit - 1) / unit * unit);
  }

  T* allocate(std::size_t count) {
    constexpr std::size_t kMost = PTRDIFF_MAX - kHugePage;
    if (count > kMost / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = Bytes(count);
    void* memory = std::aligned_alloc(Alignment(count), bytes);
    if (memory == nullptr) throw std::bad_alloc();
    AdviseHugePages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  static constexpr std::size_t Alignment(std::size_t count) {
    constexpr std::size_t kCacheLine = 64;
    return count * sizeof(T) >= kHugePage ? kHugePage : kCacheLine;
  }

  friend bool operator==(const LargeAllocator&, const LargeAllocator&) {
    return true;
  }
};

/// Uninitialised memory from a LargeAllocator.
struct FreeLarge {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using LargeBuffer = std::unique_ptr<T[], FreeLarge>;

template <class T>
LargeBuffer<T> MakeLargeBuffer(std::size_t count) {
  static_assert(std::is_trivial_v<T>);
  return LargeBuffer<T>(LargeAllocator<T>().allocate(count));
}

}  // namespace manyarms

#endif  // MANYARMS_BASE_LARGE_ALLOCATOR_H_
