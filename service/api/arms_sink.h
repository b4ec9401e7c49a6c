#ifndef MANYARMS_SERVICE_API_ARMS_SINK_H_
#define MANYARMS_SERVICE_API_ARMS_SINK_H_

#include <memory>
#include <string_view>
#include <vector>

#include "service/api/arms_body.h"
#include "service/api/core.h"
#include "service/api/url.h"
#include "service/engine/served_bandit.h"

namespace manyarms::service {

struct PutMode {
  bool only_new = false;
  bool progress = false;
};
/// Of ?mode=put|add&progress=true. Throws as Query.
PutMode PutModeOf(Query& query);

/// Takes the body of POST arms, and checks each arm as it comes.
class ArmsSink : public http::BodySink {
 public:
  enum class Form { kJsonLines, kNpy };

  /// Throws HttpError(503) if too many such bodies are being received.
  ArmsSink(Core& core, std::size_t route, std::shared_ptr<ServedBandit> bandit,
           Form form);
  ~ArmsSink() override;

  std::unique_ptr<http::Response> Take(std::string_view piece) override;

  /// The arms of the whole body. Throws if it is cut off.
  std::vector<ArmInfo> Release();

 private:
  Core& core_;
  const std::size_t route_;
  const std::shared_ptr<ServedBandit> bandit_;
  std::vector<ArmInfo> arms_;
  std::unique_ptr<ArmsBody> body_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_ARMS_SINK_H_
