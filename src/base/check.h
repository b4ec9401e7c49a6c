#ifndef MANYARMS_BASE_CHECK_H_
#define MANYARMS_BASE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "manyarms/features.h"
#include "manyarms/rewards.h"

/// Checks of the caller's values. All throw Error with a message that names the
/// value and its bound.
namespace manyarms {

void CheckDim(std::size_t dim);
void CheckFeatures(std::span<const float> features, std::size_t dim);
/// Whether all values are finite and at most kMaxFeature in magnitude.
bool AreFeatures(std::span<const float> features);
/// Checks the number of values in `rows` feature vectors, not the values.
void CheckRowCount(std::size_t values, std::size_t rows, std::size_t dim);
void CheckShape(const FeatureRows& features, std::size_t rows, std::size_t dim);
/// Checks `row`, a copy of row i, counted from 0, of `given`. The message names
/// the value as it was given: a double may be finite where its float is not.
void CheckRow(std::span<const float> row, std::size_t i,
              const FeatureRows& given);
/// All rows, checked, one after another.
std::vector<float> CheckedRows(const FeatureRows& features, std::size_t rows,
                               std::size_t dim);
void CheckReward(double reward, RewardModel model = RewardModel::kLinear);
void CheckRegularisation(double regularisation);

/// `name` is the caller's name for the value.
void CheckWithin(const char* name, double value, double low, double high);
void CheckCount(const char* name, std::uint64_t value, std::uint64_t low,
                std::uint64_t high);

/// Throws Error(kDuplicateId) if an id occurs twice. O(n log n).
void CheckDistinct(const char* name, std::span<const std::uint64_t> ids);

}  // namespace manyarms

#endif  // MANYARMS_BASE_CHECK_H_
