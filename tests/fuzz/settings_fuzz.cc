// Settings of a bandit: whatever is accepted is read alike when it is written
// again.

#include <cstdint>
#include <string>
#include <string_view>

#include "manyarms/error.h"
#include "service/engine/settings.h"
#include "tests/fuzz/check.h"

using namespace manyarms;
using namespace manyarms::service;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A population of many coefficients takes memory by its dimension.
  static const Settings before = ParseSettings(R"({"dim":2})");
  try {
    const Settings settings = ParseSettings(text);
    Check(ParseSettings(ToJson(settings)) == settings);
  } catch (const Error&) {
  }
  try {
    ParseChanges(text, before);
  } catch (const Error&) {
  }
  return 0;
}
