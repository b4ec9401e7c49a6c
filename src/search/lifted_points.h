#ifndef MANYARMS_SEARCH_LIFTED_POINTS_H_
#define MANYARMS_SEARCH_LIFTED_POINTS_H_

#include <span>
#include <unordered_map>
#include <vector>

#include "catalogue/arm_store.h"
#include "lsh/point_table.h"
#include "search/lifting.h"

namespace manyarms {

/// The arms of a search as points of the space in which its objective is an
/// inner product, with a map from slots to points and back.
class LiftedPoints {
 public:
  using Number = lsh::PointNumber;

  /// Points are lifted arms times `factor`.
  LiftedPoints(Objective objective, const ArmStore& store, float factor = 1);

  Number Add(Slot slot);
  void Remove(Slot slot);
  void Clear();

  Number number(Slot slot) const { return number_of_slot_.at(slot); }
  Slot slot(Number number) const { return slot_of_number_[number]; }
  const lsh::PointTable& table() const { return table_; }

  /// In ascending order.
  std::vector<Slot> Slots() const;

 private:
  const Objective objective_;
  const ArmStore& store_;
  const float factor_;
  lsh::PointTable table_;
  std::vector<Slot> slot_of_number_;
  std::unordered_map<Slot, Number> number_of_slot_;
  std::vector<float> features_;  // scratch
  std::vector<float> lifted_;    // scratch
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LIFTED_POINTS_H_
