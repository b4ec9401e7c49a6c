#ifndef MANYARMS_SERVICE_API_REQUESTS_H_
#define MANYARMS_SERVICE_API_REQUESTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "service/api/http_error.h"
#include "service/engine/served_bandit.h"

/// What the bodies of requests say. All functions throw Error(kCorrupt) for
/// what is not JSON, and Error(kInvalidArgument), which names the field, for
/// values that cannot be. What depends on a bandit is checked by the bandit.
namespace manyarms::service {

/// Arms by name in a choice or a prediction.
inline constexpr std::size_t kMostArmsNamed = 100'000;

ChoiceRequest ParseChoice(std::string_view body);
RewardRequest ParseReward(std::string_view body);

/// Of a batch, each by itself: the request, or why it cannot be.
template <class Request>
using Batch = std::vector<std::variant<Request, Failure>>;
/// They throw HttpError(413) for more than `most`.
Batch<ChoiceRequest> ParseChoices(std::string_view body, std::size_t most);
Batch<RewardRequest> ParseRewards(std::string_view body, std::size_t most);

// NOLINTBEGIN(readability-redundant-member-init): g++ warns without them.

/// One of the two.
struct DecisionReference {
  Sequence decision = 0;
  std::string event = {};
};
DecisionReference ParseDecisionReference(std::string_view body);

struct Observation {
  std::string learner = {};
  std::optional<ArmName> arm = std::nullopt;
  std::vector<float> features = {};
  std::vector<float> context = {};
  double reward = 0;
  std::string id = {};
};
Observation ParseObservation(std::string_view body);

struct PredictionRequest {
  std::string learner = {};
  std::vector<float> context = {};
  std::vector<ArmName> arms = {};
  std::size_t best = 0;  ///< in place of arms
  std::optional<std::vector<std::vector<float>>> rows = std::nullopt;
};
// NOLINTEND(readability-redundant-member-init)

PredictionRequest ParsePrediction(std::string_view body);

/// {"arm":...,"features":[...],"tags":[...]}
ArmInfo ParseArm(std::string_view line);
/// The same without "arm".
ArmInfo ParseArmOf(ArmName name, std::string_view body);
/// {"arms":[...]}, of arms, and of their names.
std::vector<ArmInfo> ParseArms(std::string_view body);
std::vector<ArmName> ParseArmNames(std::string_view body);

/// The name of a file beside the data file, of letters, digits and ._-
std::string ParseBackup(std::string_view body);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_REQUESTS_H_
