#ifndef MANYARMS_BASE_LARGE_ALLOCATOR_H_
#define MANYARMS_BASE_LARGE_ALLOCATOR_H_

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace manyarms {

/// A huge page of the systems that matter here.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// For arrays that are read at memory speed or in random places: aligned to
/// cache lines, and large ones laid on huge pages, so that the processor's
/// address cache reaches further.
template <class T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(  // NOLINT(google-explicit-constructor): as allocators do
      const LargeAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    constexpr std::size_t kCacheLine = 64;
    constexpr std::size_t kMost = PTRDIFF_MAX - kHugePage;
    if (count > kMost / sizeof(T)) throw std::bad_alloc();
    const std::size_t wanted = std::max<std::size_t>(count * sizeof(T), 1);
    const std::size_t alignment =
        std::clamp(std::bit_floor(wanted), kCacheLine, kHugePage);
    const std::size_t bytes = (wanted + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    // Only advice: without huge pages everything works, but slower.
    if (alignment == kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  friend bool operator==(const LargeAllocator&, const LargeAllocator&) {
    return true;
  }
};

/// Memory from a LargeAllocator that holds anything at first.
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
