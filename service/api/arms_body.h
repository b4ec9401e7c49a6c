#ifndef MANYARMS_SERVICE_API_ARMS_BODY_H_
#define MANYARMS_SERVICE_API_ARMS_BODY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "service/engine/arm_info.h"

namespace manyarms::service {

/// Arms that come in a long body, piece by piece. All methods throw what the
/// first wrong arm is refused with, and Error(kCorrupt) for bodies that are
/// damaged.
class ArmsBody {
 public:
  virtual ~ArmsBody() = default;
  virtual void Take(std::string_view piece) = 0;
  /// Nothing follows. Throws for a body that is cut off.
  virtual void End() = 0;
};

struct ArmsBodyOptions {
  std::size_t dim = 0;
  bool named = true;  ///< arms have names, not numbers
  std::uint64_t most_arms = 0;
  /// Gets each arm once it has been read. What it throws is thrown on, with
  /// the number of the line or row.
  std::function<void(ArmInfo&&)> use;
};

/// An arm a line, as ParseArm reads it.
std::unique_ptr<ArmsBody> MakeJsonLinesBody(const ArmsBodyOptions& options);

/// Two arrays as numpy.save writes them: ids or names, and rows of features.
std::unique_ptr<ArmsBody> MakeNpyBody(const ArmsBodyOptions& options);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_ARMS_BODY_H_
