// Paths and queries: what is decoded is UTF-8, and parts are parts of the
// whole.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "manyarms/error.h"
#include "service/api/http_error.h"
#include "service/api/url.h"
#include "tests/fuzz/check.h"

using namespace manyarms;
using namespace manyarms::service;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Check(SegmentsOf(text).size() <= 16);
  try {
    const std::string decoded = PercentDecoded(text);
    Check(Utf8PrefixLength(decoded) == decoded.size());
    Check(decoded.size() <= size);
  } catch (const HttpError&) {
  }
  try {
    Query query(text);
    Check(query.Count("limit", 5, 1, 10) <= 10);
    query.Truth("progress");
    query.Text("mode");
    query.End();
  } catch (const Error&) {
  } catch (const HttpError&) {
  }
  return 0;
}
