// JSON that is read seldom: what is accepted is an object, and is read alike
// when it is written again.

#include <cstdint>
#include <string_view>

#include "manyarms/error.h"
#include "service/engine/strict_json.h"
#include "tests/fuzz/check.h"

using namespace manyarms;
using namespace manyarms::service;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Json object = ParseObject(text);
    Check(object.is_object());
    Check(text.find('\0') == std::string_view::npos);
    Check(ParseObject(object.dump()) == object);
  } catch (const Error&) {
  }
  return 0;
}
