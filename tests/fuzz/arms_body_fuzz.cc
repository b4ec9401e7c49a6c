// Long bodies of arms give the same arms, or the same refusal, whatever pieces
// they come in. The first byte says what body it is.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manyarms/error.h"
#include "service/api/arms_body.h"
#include "service/api/http_error.h"
#include "service/engine/limits.h"
#include "tests/fuzz/check.h"

using namespace manyarms;
using namespace manyarms::service;

namespace {

constexpr std::uint64_t kMostArms = 50;

struct Arms {
  std::vector<ArmInfo> arms;
  std::string refusal;
};

Arms Read(bool npy, bool named, std::string_view body, std::size_t step) {
  Arms read;
  const ArmsBodyOptions options{
      .dim = 2,
      .named = named,
      .most_arms = kMostArms,
      .use = [&](ArmInfo&& arm) { read.arms.push_back(std::move(arm)); }};
  try {
    const auto arms = npy ? MakeNpyBody(options) : MakeJsonLinesBody(options);
    for (; !body.empty(); body.remove_prefix(std::min(step, body.size()))) {
      arms->Take(body.substr(0, step));
    }
    arms->End();
  } catch (const Error& error) {
    read.refusal = error.what();
  } catch (const HttpError& error) {
    read.refusal = error.what();
  } catch (const Refused& refused) {
    read.refusal = refused.what();
  }
  return read;
}

bool AreEqual(const ArmInfo& a, const ArmInfo& b) {
  return a.arm == b.arm && a.features == b.features && a.tags == b.tags;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data + 1),
                              size - 1);
  const bool npy = (data[0] & 1U) != 0;
  const bool named = (data[0] & 2U) != 0;
  const Arms whole = Read(npy, named, body, size);
  for (const std::size_t step : {std::size_t{1}, std::size_t{13}}) {
    const Arms parts = Read(npy, named, body, step);
    Check(parts.refusal.empty() == whole.refusal.empty());
    if (whole.refusal.empty()) {
      Check(std::ranges::equal(parts.arms, whole.arms, AreEqual));
    }
  }
  return 0;
}
