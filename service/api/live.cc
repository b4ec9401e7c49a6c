#include "service/api/live.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "manyarms/policy_options.h"
#include "manyarms/version.h"
#include "service/api/answers.h"
#include "service/sql/database.h"

namespace manyarms::service {
namespace {

constexpr std::size_t kMostRoutes = 20;

void WriteStore(const Core& core, JsonOutput& json) {
  const StoreStats stats = core.store->stats();
  json.Open('{')
      .Field("place", PlaceOf(core.options.store.place))
      .Field("bytes", stats.bytes)
      .Field("waiting", stats.waiting)
      .Field("commits", stats.commits)
      .Field("commit_seconds", stats.commit_seconds)
      .Field("failure", stats.failure)
      .Close('}');
}

void WriteRoutes(const Core& core, JsonOutput& json) {
  std::vector<std::pair<std::string, RouteCounts>> routes;
  for (std::size_t i = 0; i < Routes().size(); ++i) {
    RouteCounts counts = core.counts.Of(i);
    if (counts.requests() == 0) continue;
    routes.emplace_back(Routes()[i].short_name(), counts);
  }
  std::ranges::sort(routes, [](const auto& one, const auto& other) {
    const std::uint64_t ones = one.second.requests();
    const std::uint64_t others = other.second.requests();
    return ones != others ? ones > others : one.first < other.first;
  });
  if (routes.size() > kMostRoutes) routes.resize(kMostRoutes);
  json.Open('[');
  for (const auto& [route, counts] : routes) {
    json.Open('{')
        .Field("route", route)
        .Field("requests", counts.requests())
        .Field("errors", counts.errors())
        .Field("p50", counts.latency.Quantile(0.5))
        .Field("p99", counts.latency.Quantile(0.99))
        .Close('}');
  }
  json.Close(']');
}

void WriteBandits(const Core& core, JsonOutput& json) {
  json.Open('[');
  for (const auto& bandit : core.engine->Bandits()) {
    const Settings settings = bandit->settings();
    const bool serves = settings.semantics.mode == Mode::kServe;
    json.Open('{')
        .Field("name", bandit->name())
        .Field("policy", PolicyName(settings.population.policy))
        .Field("dim", std::uint64_t{settings.population.dim})
        .Field("mode", serves ? "serve" : "apprentice")
        .Name("stats")
        .Open('{');
    WriteStats(bandit->stats(), json);
    json.Close('}').Name("history");
    core.history.WriteBandit(bandit->number(), json);
    json.Close('}');
  }
  json.Close(']');
}

}  // namespace

std::string PlaceOf(const std::string& place) {
  if (!sql::IsPostgres(place)) return place;
  const std::size_t end = std::min(place.find("://") + 3, place.size());
  const std::size_t at = place.find('@', end);
  const std::size_t query = place.find('?');
  std::string plain = place.substr(0, query);
  if (at == place.npos || at > query) return plain;
  return plain.substr(0, end) + plain.substr(at + 1);
}

RouteCounts AllCounts(const Core& core) {
  RouteCounts all;
  for (std::size_t i = 0; i < core.counts.routes(); ++i) {
    all += core.counts.Of(i);
  }
  return all;
}

void WriteLive(const Core& core, JsonOutput& json) {
  const bool full = core.options.durability == Durability::kFull;
  json.Open('{')
      .Field("now", SystemTime())
      .Field("started", core.started)
      .Field("version", kVersion)
      .Field("durability", full ? "full" : "relaxed")
      .Field("connections", core.server_stats().connections)
      .Name("store");
  WriteStore(core, json);
  json.Name("routes");
  WriteRoutes(core, json);
  json.Name("slow");
  core.history.WriteSlow(json);
  json.Name("history");
  core.history.WriteHistory(json);
  json.Name("bandits");
  WriteBandits(core, json);
  json.Close('}');
}

}  // namespace manyarms::service
