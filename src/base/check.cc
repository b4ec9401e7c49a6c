#include "base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "manyarms/error.h"
#include "manyarms/types.h"

namespace manyarms {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

// Written so that NaN fails too.
bool IsFeature(float value) { return std::abs(value) <= kMaxFeature; }

template <class Real>
std::string WrongFeature(std::size_t j, Real value) {
  return fmt::format(
      "feature {} is {}, must be finite and at most {:g} in magnitude", j,
      value, kMaxFeature);
}

}  // namespace

void CheckDim(std::size_t dim) { CheckCount("dimension", dim, 1, kMaxDim); }

void CheckFeatures(std::span<const float> features, std::size_t dim) {
  if (features.size() != dim) {
    Fail(fmt::format("{} features given, the dimension is {}", features.size(),
                     dim));
  }
  for (std::size_t j = 0; j < dim; ++j) {
    if (!IsFeature(features[j])) Fail(WrongFeature(j, features[j]));
  }
}

bool AreFeatures(std::span<const float> features) {
  return std::ranges::all_of(features, IsFeature);
}

void CheckRowCount(std::size_t values, std::size_t rows, std::size_t dim) {
  if (values != rows * dim) {
    Fail(fmt::format("{} features given for {} arms of dimension {}", values,
                     rows, dim));
  }
}

void CheckShape(const FeatureRows& features, std::size_t rows,
                std::size_t dim) {
  if (features.rows() != rows || features.columns() != dim) {
    Fail(fmt::format("{} rows of {} features given for {} arms of dimension {}",
                     features.rows(), features.columns(), rows, dim));
  }
}

void CheckRow(std::span<const float> row, std::size_t i,
              const FeatureRows& given) {
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (IsFeature(row[j])) continue;
    const std::string message = given.are_doubles()
                                    ? WrongFeature(j, given.At(i, j))
                                    : WrongFeature(j, row[j]);
    if (given.rows() == 1) Fail(message);
    Fail(fmt::format("row {} of {}, counted from 0: {}", i, given.rows(),
                     message));
  }
}

std::vector<float> CheckedRows(const FeatureRows& features, std::size_t rows,
                               std::size_t dim) {
  CheckShape(features, rows, dim);
  std::vector<float> values(rows * dim);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = std::span(values).subspan(i * dim, dim);
    features.Copy(i, row);
    CheckRow(row, i, features);
  }
  return values;
}

void CheckReward(double reward, RewardModel model) {
  if (model == RewardModel::kClicks) {
    CheckWithin("reward (with clicks)", reward, 0, 1);
    return;
  }
  if (!(std::abs(reward) <= kMaxReward)) {
    Fail(fmt::format(
        "reward is {}, must be finite and at most {:g} in magnitude", reward,
        kMaxReward));
  }
}

void CheckRegularisation(double regularisation) {
  CheckWithin("regularisation", regularisation, kMinRegularisation,
              kMaxRegularisation);
}

void CheckWithin(const char* name, double value, double low, double high) {
  if (!(value >= low && value <= high)) {
    Fail(fmt::format("{} is {}, must be from {:g} to {:g}", name, value, low,
                     high));
  }
}

void CheckCount(const char* name, std::uint64_t value, std::uint64_t low,
                std::uint64_t high) {
  if (value < low || value > high) {
    Fail(
        fmt::format("{} is {}, must be from {} to {}", name, value, low, high));
  }
}

void CheckDistinct(const char* name, std::span<const std::uint64_t> ids) {
  std::vector<std::uint64_t> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    throw Error(ErrorCode::kDuplicateId,
                fmt::format("{} {} is given twice in one call", name, *twice));
  }
}

}  // namespace manyarms
