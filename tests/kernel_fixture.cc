#include "kernel_fixture.h"

#include <hwy/targets.h>

#include <cmath>

#include "kernels/instruction_set.h"
#include "manyarms/random.h"

namespace manyarms::kernels {

IntegerArms::IntegerArms(std::size_t dim, std::uint32_t blocks,
                         std::uint64_t seed)
    : dim_(dim),
      features_(static_cast<float*>(
          std::aligned_alloc(64, blocks * dim * kLanes * sizeof(float)))),
      ids_(std::size_t{blocks} * kLanes) {
  RandomStream random(seed, RandomStream::Role::kArm, dim);
  for (std::size_t i = 0; i < blocks * dim * kLanes; ++i) {
    features_.get()[i] = static_cast<float>(random.Below(9)) - 4;
  }
  for (ArmId& id : ids_) id = random.Bits();
  feature_chunk_ = features_.get();
  id_chunk_ = ids_.data();
  for (std::uint32_t b = 0; b < blocks; ++b) {
    masked_.push_back(
        {b, static_cast<std::uint32_t>(random.Below(1 << kLanes))});
  }
}

const char* Target::name() const { return hwy::TargetName(number); }

namespace {

void Allow(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::vector<Target> AllTargets() {
  std::vector<Target> targets;
  for (const std::int64_t number : hwy::SupportedAndGeneratedTargets()) {
    targets.push_back({number});
  }
  return targets;
}

}  // namespace

void Kernels::SetUp() {
  Allow(GetParam().number);
  ASSERT_EQ(InstructionSet(), GetParam().name());
}

void Kernels::TearDown() {
  Allow(0);  // all of them again
}

std::vector<float> Kernels::Direction(std::size_t dim) {
  std::vector<float> direction(dim);
  RandomStream random(2, RandomStream::Role::kTheta, dim);
  for (float& v : direction) v = static_cast<float>(random.Below(7)) - 3;
  return direction;
}

std::vector<double> Kernels::Lower(std::size_t dim) {
  std::vector<double> lower(dim * dim, std::nan(""));
  RandomStream random(3, RandomStream::Role::kTheta, dim);
  for (std::size_t j = 0; j < dim; ++j) {
    for (std::size_t i = j; i < dim; ++i) {
      lower[i * dim + j] = static_cast<double>(random.Below(5)) - 2;
    }
  }
  return lower;
}

float Kernels::Linear(const IntegerArms& arms, Slot slot,
                      const std::vector<float>& direction) {
  float sum = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    sum += direction[j] * arms.Feature(slot, j);
  }
  return sum;
}

float Kernels::Form(const IntegerArms& arms, Slot slot,
                    const std::vector<double>& lower) {
  const std::size_t dim = arms.dim();
  double form = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    double row = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      row += lower[i * dim + j] * arms.Feature(slot, j);
    }
    form += row * row;
  }
  return static_cast<float>(form);
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, Kernels,
                         ::testing::ValuesIn(AllTargets()),
                         [](const auto& c) { return c.param.name(); });

}  // namespace manyarms::kernels
