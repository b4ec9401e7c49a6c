#include <filesystem>
#include <string>
#include <utility>

#include "manyarms/version.h"
#include "service/api/call.h"
#include "service/api/embedded.h"
#include "service/api/http_error.h"
#include "service/api/live.h"
#include "service/api/metrics.h"
#include "service/api/metrics_writer.h"
#include "service/api/requests.h"
#include "service/api/routes.h"
#include "service/sql/database.h"

namespace manyarms::service {
namespace {

void SendStatus(Call& call, unsigned status, const char* word,
                const std::string& reason) {
  JsonOutput json;
  json.Open('{').Field("status", word);
  if (!reason.empty()) json.Field("reason", reason);
  json.Close('}');
  call.SendJson(json, status);
}

}  // namespace

void GetPage(const CallPointer& call) {
  static const std::string policy = PolicyOf(PageText());
  call->Send({.status = 200,
              .content_type = "text/html; charset=utf-8",
              .body = std::string(PageText()),
              .headers = {{"Content-Security-Policy", policy},
                          {"Referrer-Policy", "no-referrer"},
                          {"Cache-Control", "no-cache"}}});
}

void GetHealth(const CallPointer& call) {
  const Core& core = call->core();
  if (core.phase != Phase::kStarting && core.store->failed_for_good()) {
    return SendStatus(*call, 503, "failed", kCannotWrite);
  }
  SendStatus(*call, 200, "ok", "");
}

void GetReadiness(const CallPointer& call) {
  const Core& core = call->core();
  const Phase phase = core.phase;
  if (phase == Phase::kStarting) {
    return SendStatus(*call, 503, "starting", "the store is being read");
  }
  if (phase == Phase::kStopping) {
    return SendStatus(*call, 503, "stopping", "the service stops");
  }
  if (!core.store->failure().empty()) {
    return SendStatus(*call, 503, "unavailable", kCannotWrite);
  }
  if (core.store->congested()) {
    return SendStatus(*call, 503, "unavailable",
                      "too many changes wait for the store");
  }
  SendStatus(*call, 200, "ready", "");
}

void GetMetrics(const CallPointer& call) {
  call->query().End();
  const MetricsFormat format = MetricsFormatFor(call->head().accept);
  call->Send({.status = 200,
              .content_type = ContentTypeOf(format),
              .body = MetricsText(call->core(), format),
              .headers = {{"Vary", "Accept"}}});
}

void GetVersion(const CallPointer& call) {
  call->query().End();
  JsonOutput json;
  json.Open('{')
      .Field("name", "manyarms")
      .Field("version", kVersion)
      .Field("openapi", "/v1/openapi.json")
      .Close('}');
  call->SendJson(json);
}

void GetOpenApi(const CallPointer& call) {
  call->Send({.status = 200, .body = std::string(OpenApiText())});
}

void GetLive(const CallPointer& call) {
  call->query().End();
  JsonOutput json;
  WriteLive(call->core(), json);
  call->SendJson(json);
}

void PostBackup(const CallPointer& call) {
  call->query().End();
  const std::string file = ParseBackup(call->body());
  const std::string& place = call->core().options.store.place;
  if (sql::IsPostgres(place)) {
    throw Error(ErrorCode::kUnsupported,
                "a database of PostgreSQL is backed up by pg_dump");
  }
  const std::filesystem::path data = call->core().options.store.place;
  const std::filesystem::path path = data.parent_path() / file;
  if (std::filesystem::exists(std::filesystem::symlink_status(path))) {
    throw Refused(Refusal::kConflict, "there is a file " + file);
  }
  call->core().store->Backup(path.string());
  JsonOutput json;
  json.Open('{')
      .Field("file", file)
      .Field("bytes", std::uint64_t{std::filesystem::file_size(path)})
      .Close('}');
  call->SendJson(json);
}

}  // namespace manyarms::service
