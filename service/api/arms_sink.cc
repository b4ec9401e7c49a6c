#include "service/api/arms_sink.h"

#include <exception>
#include <utility>

#include "manyarms/error.h"
#include "service/api/http_error.h"

namespace manyarms::service {
namespace {

// Each of them may take as much memory as all arms of a bandit.
constexpr int kMostAtOnce = 4;

}  // namespace

PutMode PutModeOf(Query& query) {
  PutMode put;
  const std::string mode = query.Text("mode").value_or("put");
  if (mode != "put" && mode != "add") {
    throw Error(ErrorCode::kInvalidArgument, "the parameter mode is \"" +
                                                 Shortened(mode) +
                                                 "\", expected put or add");
  }
  put.only_new = mode == "add";
  put.progress = query.Truth("progress");
  query.End();
  return put;
}

ArmsSink::ArmsSink(Core& core, std::size_t route,
                   std::shared_ptr<ServedBandit> bandit, Form form)
    : core_(core), route_(route), bandit_(std::move(bandit)) {
  const ArmsBodyOptions options{
      .dim = bandit_->dim(),
      .named = bandit_->named_arms(),
      .most_arms = core.engine->limits().arms,
      .use =
          [this](ArmInfo&& arm) {
            bandit_->CheckArm(arm);
            arms_.push_back(std::move(arm));
          },
  };
  body_ =
      form == Form::kNpy ? MakeNpyBody(options) : MakeJsonLinesBody(options);
  if (++core_.bulk_bodies > kMostAtOnce) {
    --core_.bulk_bodies;
    throw HttpError(503, "too many requests with many arms at the same time");
  }
}

ArmsSink::~ArmsSink() { --core_.bulk_bodies; }

std::unique_ptr<http::Response> ArmsSink::Take(std::string_view piece) {
  try {
    body_->Take(piece);
    return nullptr;
  } catch (...) {
    const Failure failure = FailureOf(std::current_exception());
    core_.Answered(route_, failure.status, 0, failure.ForLog());
    return std::make_unique<http::Response>(ErrorResponse(failure));
  }
}

std::vector<ArmInfo> ArmsSink::Release() {
  body_->End();
  return std::move(arms_);
}

}  // namespace manyarms::service
