// Learners and shards refuse what no other side sends, stay as they were then,
// and decide without NaN after whatever they accept. The first byte says what
// message it is; its checksum is made to fit.

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "manyarms/error.h"
#include "shards/answer.h"
#include "shards/arm_shard.h"
#include "shards/sharded_bandit.h"
#include "shards/survey_messages.h"
#include "tests/fuzz/check.h"

using namespace manyarms;

namespace {

constexpr std::size_t kDim = 2;
constexpr std::array<ArmId, 3> kIds = {4, 5, 6};
constexpr std::array<float, 6> kRows = {1, 0, 0.5F, 0.5F, -1, 0.25F};

std::string WithChecksum(std::string_view bytes) {
  std::ostringstream out;
  ByteWriter writer(out);
  writer.Values(std::span<const char>(bytes.data(), bytes.size()));
  writer.Transfer(writer.checksum());
  return std::move(out).str();
}

BanditOptions Options() {
  return {.dim = kDim, .policy = UcbOptions{}, .seed = 2};
}

FeatureRows Rows() { return {kRows.data(), kIds.size(), kDim, {.row = kDim}}; }

// Whether `use` accepts the message. `object` must be as it was if not.
template <class Object, class Use>
bool Accepts(const Object& object, const Use& use) {
  const auto before = object();
  try {
    use();
    return true;
  } catch (const Error&) {
    Check(object() == before);
    return false;
  }
}

// A learner that knows one of five arms, and whose next choice waits for an
// answer.
class Learner {
 public:
  Learner() : shard_(Options()), bandit_(Options()) {
    shard_.Add(kIds, Rows());
    bandit_.Added(kIds, Rows());
    Check(!bandit_.Choose());
    const std::vector<std::string> answers = {
        shard_.Top(bandit_.question(), 1)};
    bandit_.Answer(answers);
    bandit_.Learn(bandit_.Choose().value(), 1);
    bandit_.Loaded(2);  // arms that it does not know
    Check(!bandit_.Choose());
  }

  void TakeAnswer(const std::string& message) {
    const std::vector<std::string> answers = {message};
    const auto saved = [this] { return bandit_.Save(); };
    if (Accepts(saved, [&] { bandit_.Answer(answers); })) Decides();
  }

  void TakeSurvey(const std::string& message) {
    bandit_.RequestSurvey();
    const std::vector<std::string> surveys = {message};
    const auto saved = [this] { return bandit_.Save(); };
    if (Accepts(saved, [&] { bandit_.Adopt(surveys); })) Decides();
  }

 private:
  void Decides() {
    try {
      const auto decision = bandit_.Choose();
      Check(!decision || std::isfinite(decision->score));
    } catch (const Error&) {
      // Answers of different shards may contradict each other.
    }
  }

  ArmShard shard_;
  ShardedBandit bandit_;
};

void AskShard(const std::string& question) {
  ArmShard shard(Options());
  shard.Add(kIds, Rows());
  std::string answer;
  const auto size = [&] { return shard.size(); };
  if (!Accepts(size, [&] { answer = shard.Top(question, 2); })) return;
  for (const float score : Answer::From(answer, kDim).scores) {
    Check(std::isfinite(score));
  }
}

void SurveyShard(const std::string& request) {
  ArmShard shard(Options());
  shard.Add(kIds, Rows());
  std::string survey;
  const auto size = [&] { return shard.size(); };
  if (!Accepts(size, [&] { survey = shard.Survey(request); })) return;
  ShardSurvey::From(survey, kDim);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string message =
      WithChecksum({reinterpret_cast<const char*>(data + 1), size - 1});
  switch (data[0] % 4) {
    case 0:
      AskShard(message);
      break;
    case 1:
      SurveyShard(message);
      break;
    case 2:
      Learner().TakeAnswer(message);
      break;
    default:
      Learner().TakeSurvey(message);
  }
  return 0;
}
