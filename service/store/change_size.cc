#include "service/store/change_size.h"

#include <string>
#include <variant>
#include <vector>

namespace manyarms::service {
namespace {

std::size_t Bytes(const std::vector<float>& values) {
  return values.size() * sizeof(float);
}

std::size_t Bytes(const ArmRow& arm) {
  std::size_t bytes = sizeof arm + arm.name.size() + Bytes(arm.features);
  for (const std::string& tag : arm.tags)
    bytes += sizeof(std::string) + tag.size();
  return bytes;
}

std::size_t Bytes(const DecisionRow& row) {
  return sizeof row + row.learner.size() + row.arm_name.size() +
         row.policy_arm_name.size() + row.event.size() + Bytes(row.features) +
         Bytes(row.context);
}

// Without the object itself, which is a part of the variant.
struct BytesBeside {
  std::size_t operator()(const ArmsPut& change) const {
    std::size_t bytes = 0;
    for (const ArmRow& arm : change.arms) bytes += Bytes(arm);
    return bytes;
  }
  std::size_t operator()(const ArmsRemoved& change) const {
    return change.arms.size() * sizeof(ArmsRemoved::Freed);
  }
  std::size_t operator()(const DecisionsMade& change) const {
    std::size_t bytes = 0;
    for (const DecisionRow& row : change.decisions) bytes += Bytes(row);
    return bytes;
  }
  std::size_t operator()(const RewardRow& row) const {
    return row.learner.size() + row.id.size() + row.arm_name.size() +
           Bytes(row.features) + Bytes(row.context);
  }
  std::size_t operator()(const LearnerSaved& change) const {
    return change.learner.size() + change.knowledge.size() + change.open.size();
  }
  std::size_t operator()(const BanditCreated& change) const {
    return change.name.size() + change.settings.size();
  }
  std::size_t operator()(const BanditChanged& change) const {
    return change.settings.size();
  }
  // All others are small.
  template <class Other>
  std::size_t operator()(const Other&) const {
    return 0;
  }
};

}  // namespace

std::size_t BytesOf(const Change& change) {
  return sizeof change + std::visit(BytesBeside(), change);
}

}  // namespace manyarms::service
