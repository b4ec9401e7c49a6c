#include "kernels/compact_vnni.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <atomic>

namespace manyarms::kernels {

namespace {
std::atomic<bool> vnni_allowed = true;
}

bool HasVnni() {
  static const bool has = __builtin_cpu_supports("avx512vnni") != 0;
  return has && vnni_allowed.load(std::memory_order_relaxed);
}

void AllowVnni(bool allowed) { vnni_allowed = allowed; }

// Reads the blocks from beginning to end. Four sums for each block do not wait
// for one another.
__attribute__((target("avx512f,avx512vnni"))) std::size_t CompactReachingByVnni(
    const std::uint8_t* blocks, std::size_t count,
    const CompactDirection& direction, std::int32_t threshold,
    std::span<MaskedBlock> reaching) {
  const std::uint32_t* h = direction.bytes().data();
  const std::size_t quads = direction.bytes().size();
  const __m512i below = _mm512_set1_epi32(threshold + direction.offset() - 1);
  const auto* line = reinterpret_cast<const __m512i*>(blocks);  // NOLINT
  const auto add = [&](__m512i sum, std::size_t quad)
      __attribute__((target("avx512f,avx512vnni"))) {
    return _mm512_dpbusd_epi32(
        sum, _mm512_load_si512(line + quad),
        _mm512_set1_epi32(static_cast<std::int32_t>(h[quad])));
  };
  std::size_t entries = 0;
  for (std::size_t i = 0; i < count; ++i, line += quads) {
    __m512i sum0 = _mm512_setzero_si512();
    __m512i sum1 = _mm512_setzero_si512();
    __m512i sum2 = _mm512_setzero_si512();
    __m512i sum3 = _mm512_setzero_si512();
    std::size_t quad = 0;
    for (; quad + 4 <= quads; quad += 4) {
      sum0 = add(sum0, quad);
      sum1 = add(sum1, quad + 1);
      sum2 = add(sum2, quad + 2);
      sum3 = add(sum3, quad + 3);
    }
    for (; quad < quads; ++quad) sum0 = add(sum0, quad);
    const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(sum0, sum1),
                                         _mm512_add_epi32(sum2, sum3));
    const std::uint32_t lanes = _mm512_cmpgt_epi32_mask(sum, below);
    reaching[entries] = {.block = static_cast<std::uint32_t>(i),
                         .lanes = lanes};
    entries += lanes != 0 ? 1 : 0;
  }
  return entries;
}

}  // namespace manyarms::kernels

#else

namespace manyarms::kernels {

bool HasVnni() { return false; }
void AllowVnni(bool) {}

std::size_t CompactReachingByVnni(const std::uint8_t*, std::size_t,
                                  const CompactDirection&, std::int32_t,
                                  std::span<MaskedBlock>) {
  return 0;
}

}  // namespace manyarms::kernels

#endif
