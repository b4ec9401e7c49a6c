#include <string>
#include <utility>

#include "service/api/call.h"
#include "service/api/evaluation.h"
#include "service/api/http_error.h"
#include "service/api/routes.h"

namespace manyarms::service {
namespace {

// An evaluation has all decisions in memory, so there is one at a time.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& taken) : taken_(taken) {
    if (taken_.exchange(true)) {
      throw HttpError(503, "another evaluation is under way");
    }
  }
  ~Turn() { taken_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& taken_;
};

// What cannot be estimated from these decisions is the client's to know, not
// a damaged body.
std::string TextFor(const EvaluationRequest& request, Core& core,
                    const std::string& bandit) {
  const Turn turn(core.evaluating);
  const std::string& place = core.options.store.place;
  try {
    return EvaluationText(request, place, bandit, [&core] {
      if (core.phase == Phase::kStopping) {
        throw HttpError(503, "the service stops");
      }
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;
    throw HttpError(422, error.what());
  }
}

}  // namespace

void PostEvaluate(const CallPointer& call) {
  call->query().End();
  const EvaluationRequest request =
      ParseEvaluation(call->body(), call->bandit().settings());
  call->Send({.status = 200,
              .body = TextFor(request, call->core(), call->bandit().name())});
}

}  // namespace manyarms::service
