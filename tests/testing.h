#ifndef MANYARMS_TESTS_TESTING_H_
#define MANYARMS_TESTS_TESTING_H_

#include <gtest/gtest.h>

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "catalogue/arm_store.h"
#include "manyarms/error.h"
#include "manyarms/random.h"
#include "search/objective.h"

namespace manyarms {

/// Without this GoogleTest would print bytes.
inline void PrintTo(Objective objective, std::ostream* out) {
  switch (objective) {
    case Objective::kInnerProduct:
      *out << "inner product";
      return;
    case Objective::kQuadraticForm:
      *out << "quadratic form";
      return;
    case Objective::kOptimism:
      *out << "optimism";
      return;
    case Objective::kQuadraticOptimism:
      *out << "quadratic optimism";
      return;
  }
}

}  // namespace manyarms

namespace manyarms::testing {

/// Rows of independent standard normal features.
inline std::vector<float> GaussianRows(std::size_t rows, std::size_t dim,
                                       std::uint64_t seed) {
  std::vector<float> values(rows * dim);
  for (std::size_t i = 0; i < rows; ++i) {
    RandomStream(seed, RandomStream::Role::kArm, i)
        .Gaussians(std::span(values).subspan(i * dim, dim));
  }
  return values;
}

/// The ids 0, 1, 2, ...
inline std::vector<ArmId> FirstIds(std::size_t count) {
  std::vector<ArmId> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = i;
  return ids;
}

/// from, from + step, ... up to `to`.
inline std::vector<double> Steps(double from, double to, double step) {
  const auto count = static_cast<std::size_t>((to - from) / step + 1e-9) + 1;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = from + static_cast<double>(i) * step;
  }
  return values;
}

/// Expects that `work` throws Error with this code and a message that contains
/// all of `parts`.
template <class Work>
void ExpectError(ErrorCode code, const std::vector<std::string>& parts,
                 const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "'" << error.what() << "' does not contain '" << part << "'";
    }
    return;
  }
  FAIL() << "nothing was thrown";
}

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_TESTING_H_
