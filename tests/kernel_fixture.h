#ifndef MANYARMS_TESTS_KERNEL_FIXTURE_H_
#define MANYARMS_TESTS_KERNEL_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <vector>

#include "kernels/blocks.h"
#include "kernels/slot.h"
#include "manyarms/types.h"

namespace manyarms::kernels {

/// Dimensions around the widths of registers and of the bands of a factor.
inline constexpr std::size_t kDims[] = {1,  2,  3,  4,  5,  7, 8,
                                        15, 16, 17, 31, 33, 64};

/// Arms with random ids and random lanes. Features are small integers, so that
/// sums are exact in float in any order, and results can be compared for
/// equality.
class IntegerArms {
 public:
  IntegerArms(std::size_t dim, std::uint32_t blocks, std::uint64_t seed);

  std::size_t dim() const { return dim_; }
  BlockTable table() const { return {&feature_chunk_, &id_chunk_, 20, dim_}; }
  const std::vector<MaskedBlock>& masked() const { return masked_; }

  float Feature(Slot slot, std::size_t j) const {
    return features_.get()[(BlockOf(slot) * dim_ + j) * kLanes + LaneOf(slot)];
  }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };

  std::size_t dim_;
  std::unique_ptr<float, Free> features_;
  std::vector<ArmId> ids_;
  const float* feature_chunk_;
  const ArmId* id_chunk_;
  std::vector<MaskedBlock> masked_;
};

/// A vector instruction set, by Highway's number for it.
struct Target {
  std::int64_t number;

  const char* name() const;
  friend std::ostream& operator<<(std::ostream& out, const Target& target) {
    return out << target.name();
  }
};

/// Runs each test once for every instruction set of this machine, with all
/// others disabled.
class Kernels : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Small integers.
  static std::vector<float> Direction(std::size_t dim);

  /// Small integers, row-major. Above the diagonal, which kernels must not
  /// read, it is NaN.
  static std::vector<double> Lower(std::size_t dim);

  /// <direction, x>
  static float Linear(const IntegerArms& arms, Slot slot,
                      const std::vector<float>& direction);

  /// |lower x|^2
  static float Form(const IntegerArms& arms, Slot slot,
                    const std::vector<double>& lower);
};

}  // namespace manyarms::kernels

#endif  // MANYARMS_TESTS_KERNEL_FIXTURE_H_
