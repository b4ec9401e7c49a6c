#ifndef MANYARMS_KERNELS_COMPACT_VNNI_H_
#define MANYARMS_KERNELS_COMPACT_VNNI_H_

#include "kernels/compact.h"

/// CompactReaching with the AVX-512 instructions for inner products of bytes
/// (VNNI), which multiply and add four features of 16 arms at once. Highway has
/// no function for them, and its target that includes them asks the compiler
/// for another extension of the same name. So this is a file of its own, with
/// its own question to the processor.
namespace manyarms::kernels {

/// Whether the processor has them, and they were not switched off.
bool HasVnni();

/// For tests: whether they may be used.
void AllowVnni(bool allowed);

/// REQUIRES: HasVnni().
std::size_t CompactReachingByVnni(const std::uint8_t* blocks, std::size_t count,
                                  const CompactDirection& direction,
                                  std::int32_t threshold,
                                  std::span<MaskedBlock> reaching);

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_COMPACT_VNNI_H_
