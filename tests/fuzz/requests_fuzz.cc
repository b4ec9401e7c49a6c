// Bodies of requests: whatever is accepted is JSON. The first byte says which
// route the rest is for.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "manyarms/error.h"
#include "service/api/http_error.h"
#include "service/api/requests.h"
#include "tests/fuzz/check.h"

using namespace manyarms;
using namespace manyarms::service;

namespace {

void Parse(std::uint8_t route, std::string_view body) {
  constexpr std::size_t kMostBatch = 20;
  switch (route % 11) {
    case 0:
      ParseChoice(body);
      break;
    case 1:
      ParseReward(body);
      break;
    case 2:
      Check(ParseChoices(body, kMostBatch).size() <= kMostBatch);
      return;  // what is wrong with an element may be its JSON's numbers
    case 3:
      Check(ParseRewards(body, kMostBatch).size() <= kMostBatch);
      return;
    case 4:
      ParseDecisionReference(body);
      break;
    case 5:
      ParseObservation(body);
      break;
    case 6:
      ParsePrediction(body);
      break;
    case 7:
      ParseArm(body);
      break;
    case 8:
      ParseArms(body);
      break;
    case 9:
      ParseArmNames(body);
      break;
    default:
      Check(ParseBackup(body).find('/') == std::string::npos);
  }
  Check(nlohmann::json::accept(body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Parse(data[0], text.substr(1));
  } catch (const Error&) {
  } catch (const HttpError&) {
  }
  return 0;
}
