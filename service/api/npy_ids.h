#ifndef MANYARMS_SERVICE_API_NPY_IDS_H_
#define MANYARMS_SERVICE_API_NPY_IDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "service/engine/arm_info.h"

namespace manyarms::service {

/// The ids of an array of NumPy: whole numbers, or texts of type <U or |S.
class NpyIds {
 public:
  /// Throws Error(kInvalidArgument) for a type that is not that of such ids.
  NpyIds(const std::string& type, bool named);

  std::size_t width() const { return width_; }  ///< bytes of an id

  /// Throws Error(kInvalidArgument). REQUIRES: there are width() bytes.
  void Take(std::string_view bytes);

  /// The id that was taken i-th, counted from 0; it can be had once.
  ArmName Release(std::size_t i);

 private:
  enum class Kind { kUnsigned, kSigned, kUnicode, kBytes };

  Kind kind_ = Kind::kUnsigned;
  std::size_t width_ = 0;
  std::vector<ArmId> numbers_;
  std::vector<std::string> names_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_NPY_IDS_H_
