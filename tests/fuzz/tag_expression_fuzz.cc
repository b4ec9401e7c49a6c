// A tag expression that is read can be asked for any tags, and its denial is
// its opposite.

#include <cstdint>
#include <string>
#include <string_view>

#include "manyarms/error.h"
#include "service/engine/tag_expression.h"
#include "tests/fuzz/check.h"

using namespace manyarms;
using namespace manyarms::service;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const TagExpression expression(text);
    Check(!expression.tags().empty());
    if (size + 6 > TagExpression::kMostBytes) return 0;
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      const auto has = [&](std::size_t tag) {
        return ((tag + 1) * 2654435761U * (seed + 1) >> 7U & 1U) != 0;
      };
      try {
        const TagExpression opposite("not (" + std::string(text) + ")");
        Check(opposite.tags() == expression.tags());
        Check(opposite.Holds(has) != expression.Holds(has));
      } catch (const Error&) {  // it is nested one deeper
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
