#ifndef MANYARMS_KERNELS_INSTRUCTION_SET_H_
#define MANYARMS_KERNELS_INSTRUCTION_SET_H_

#include <string>

namespace manyarms::kernels {

/// The instruction set that the kernels use, by Highway's name for it.
std::string InstructionSet();

}  // namespace manyarms::kernels

#endif  // MANYARMS_KERNELS_INSTRUCTION_SET_H_
