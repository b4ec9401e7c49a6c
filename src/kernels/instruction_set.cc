#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/instruction_set.cc"
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace manyarms::kernels::HWY_NAMESPACE {
namespace {

std::string InstructionSet() { return hwy::TargetName(HWY_TARGET); }

}  // namespace
}  // namespace manyarms::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace manyarms::kernels {

HWY_EXPORT(InstructionSet);

std::string InstructionSet() { return HWY_DYNAMIC_DISPATCH(InstructionSet)(); }

}  // namespace manyarms::kernels

#endif  // HWY_ONCE
