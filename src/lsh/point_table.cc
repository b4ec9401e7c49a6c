#include "lsh/point_table.h"

#include <algorithm>

namespace manyarms::lsh {

PointNumber PointTable::Add(std::span<const float> point) {
  auto number = static_cast<PointNumber>(there_.size());
  if (free_.empty()) {
    values_.resize(values_.size() + stride_);
    there_.push_back(true);
  } else {
    number = free_.back();
    free_.pop_back();
    there_[number] = true;
  }
  std::ranges::copy(
      point, values_.begin() +
                 static_cast<std::ptrdiff_t>(std::size_t{number} * stride_));
  return number;
}

void PointTable::Remove(PointNumber number) {
  there_[number] = false;
  free_.push_back(number);
}

void PointTable::Clear() {
  values_.clear();
  there_.clear();
  free_.clear();
}

double InnerProduct(std::span<const float> p, std::span<const float> q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += static_cast<double>(p[i]) * q[i];
  }
  return sum;
}

}  // namespace manyarms::lsh
