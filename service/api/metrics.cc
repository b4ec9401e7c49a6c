#include "service/api/metrics.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manyarms/stats.h"
#include "manyarms/version.h"

namespace manyarms::service {
namespace {

constexpr std::array kBuckets{0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005,
                              0.01,   0.02,   0.05,   0.1,   0.2,   0.5,
                              1.0,    2.0,    5.0,    10.0};

std::string StatusText(unsigned status) {
  return status == 0 ? "other" : std::to_string(status);
}

double AsDouble(std::uint64_t count) { return static_cast<double>(count); }

void WriteRequests(const Core& core, MetricsWriter& metrics) {
  std::vector<std::pair<std::string, RouteCounts>> routes;
  for (std::size_t i = 0; i < core.counts.routes(); ++i) {
    RouteCounts counts = core.counts.Of(i);
    if (counts.requests() == 0) continue;
    routes.emplace_back(
        i < Routes().size() ? Routes()[i].name() : std::string("other"),
        counts);
  }
  metrics.Family("manyarms_requests", "counter",
                 "Requests that were answered, by route and status.");
  for (const auto& [route, counts] : routes) {
    for (std::size_t i = 0; i < kStatuses.size(); ++i) {
      if (counts.by_status[i] == 0) continue;
      metrics.Sample(AsDouble(counts.by_status[i]),
                     {{"route", route}, {"status", StatusText(kStatuses[i])}});
    }
  }
  metrics.Family("manyarms_request_seconds", "histogram",
                 "Seconds from a whole request to its answer.");
  for (const auto& [route, counts] : routes) {
    for (const double bound : kBuckets) {
      metrics.Sample(AsDouble(counts.latency.AtMost(bound)),
                     {{"route", route}, {"le", fmt::format("{}", bound)}},
                     "_bucket");
    }
    const double all = AsDouble(counts.latency.total());
    metrics.Sample(all, {{"route", route}, {"le", "+Inf"}}, "_bucket");
    metrics.Sample(all, {{"route", route}}, "_count");
    metrics.Sample(counts.seconds, {{"route", route}}, "_sum");
  }
}

void WriteOne(MetricsWriter& metrics, const char* name, const char* type,
              const char* help, double value) {
  metrics.Family(name, type, help);
  metrics.Sample(value);
}

void WriteServer(const Core& core, MetricsWriter& metrics) {
  const http::ServerStats stats = core.server_stats();
  WriteOne(metrics, "manyarms_connections", "gauge",
           "Connections that are open.", AsDouble(stats.connections));
  WriteOne(metrics, "manyarms_connections_accepted", "counter",
           "Connections that were accepted.", AsDouble(stats.accepted));
  WriteOne(metrics, "manyarms_connections_refused", "counter",
           "Connections beyond the limit.", AsDouble(stats.refused));
  WriteOne(metrics, "manyarms_connections_timed_out", "counter",
           "Connections of clients that were too slow.",
           AsDouble(stats.timed_out));
  WriteOne(metrics, "manyarms_requests_malformed", "counter",
           "Requests that were no proper HTTP or too large.",
           AsDouble(stats.malformed));
  WriteOne(metrics, "manyarms_received_bytes", "counter",
           "Bytes that came from clients.", AsDouble(stats.bytes_in));
  WriteOne(metrics, "manyarms_sent_bytes", "counter",
           "Bytes that went to clients.", AsDouble(stats.bytes_out));
}

void WriteStore(const Core& core, MetricsWriter& metrics) {
  const StoreStats stats = core.store->stats();
  WriteOne(metrics, "manyarms_store_commits", "counter",
           "Transactions that became durable.", AsDouble(stats.commits));
  WriteOne(metrics, "manyarms_store_commit_seconds", "counter",
           "Seconds that transactions took.", stats.commit_seconds);
  WriteOne(metrics, "manyarms_store_changes", "counter",
           "Changes that became durable.", AsDouble(stats.changes));
  WriteOne(metrics, "manyarms_store_waiting", "gauge",
           "Changes that are not durable yet.", AsDouble(stats.waiting));
  WriteOne(metrics, "manyarms_store_bytes", "gauge",
           "Bytes of the store on the disk.", AsDouble(stats.bytes));
  WriteOne(metrics, "manyarms_store_epoch", "gauge",
           "How often the store has been opened for writing.",
           static_cast<double>(stats.epoch));
  WriteOne(metrics, "manyarms_store_failed", "gauge",
           "1 while the store cannot write.", stats.failure.empty() ? 0 : 1);
}

// A bandit's name with its sums, read once for all families.
using BanditRow = std::pair<std::string, BanditStats>;
using BanditRows = std::vector<BanditRow>;

void WriteOfBandits(const BanditRows& bandits, MetricsWriter& metrics,
                    const char* name, const char* type, const char* help,
                    std::uint64_t BanditStats::*member) {
  metrics.Family(name, type, help);
  for (const auto& [bandit, stats] : bandits) {
    metrics.Sample(AsDouble(stats.*member), {{"bandit", bandit}});
  }
}

void WriteRewards(const BanditRows& bandits, MetricsWriter& metrics) {
  metrics.Family("manyarms_rewards", "counter",
                 "Rewards, by what became of "
                 "them.");
  for (const auto& [bandit, stats] : bandits) {
    const auto write = [&metrics, &bandit = bandit](const char* kind,
                                                    std::uint64_t count) {
      metrics.Sample(AsDouble(count), {{"bandit", bandit}, {"kind", kind}});
    };
    write("learned", stats.rewards - stats.default_rewards);
    write("default", stats.default_rewards);
    write("late", stats.late_rewards);
    write("observed", stats.observed);
    write("dismissed", stats.dismissed);
  }
}

void WriteSearches(const BanditRows& bandits, MetricsWriter& metrics) {
  // The families are those of the counters, which are visited once for each.
  const PopulationStats none;
  ForEachSearchCounter(
      [&](const std::string_view wanted, const auto&) {
        metrics.Family(
            fmt::format("manyarms_search_{}", wanted), "counter",
            fmt::format("Of searches: {} (manyarms/stats.h).", wanted));
        for (const auto& [bandit, stats] : bandits) {
          ForEachSearchCounter(
              [wanted, &metrics, &bandit = bandit](const std::string_view name,
                                                   const auto& value) {
                if (name != wanted) return;
                metrics.Sample(static_cast<double>(value),
                               {{"bandit", bandit}});
              },
              stats.population);
        }
      },
      none);
}

void WriteBandits(const Core& core, MetricsWriter& metrics) {
  BanditRows bandits;
  for (const auto& bandit : core.engine->Bandits()) {
    bandits.emplace_back(bandit->name(), bandit->stats());
  }
  WriteOfBandits(bandits, metrics, "manyarms_arms", "gauge", "Arms.",
                 &BanditStats::arms);
  WriteOfBandits(bandits, metrics, "manyarms_learners", "gauge", "Learners.",
                 &BanditStats::learners);
  WriteOfBandits(bandits, metrics, "manyarms_open_decisions", "gauge",
                 "Decisions that wait for a reward.",
                 &BanditStats::open_decisions);
  WriteOfBandits(bandits, metrics, "manyarms_choices", "counter",
                 "Choices; slates count once.", &BanditStats::choices);
  WriteRewards(bandits, metrics);
  WriteOfBandits(bandits, metrics, "manyarms_repeated_events", "counter",
                 "Choices that had been made before.",
                 &BanditStats::repeated_events);
  WriteOfBandits(bandits, metrics, "manyarms_compared_choices", "counter",
                 "Choices of callers in apprentice mode.",
                 &BanditStats::compared);
  WriteOfBandits(bandits, metrics, "manyarms_agreed_choices", "counter",
                 "Those of them with which the policy agreed.",
                 &BanditStats::agreed);
  WriteSearches(bandits, metrics);
}

}  // namespace

std::string MetricsText(const Core& core, MetricsFormat format) {
  MetricsWriter metrics(format);
  metrics.Family("manyarms_build_info", "gauge", "The version of the program.");
  metrics.Sample(1, {{"version", kVersion}});
  WriteOne(metrics, "manyarms_start_time_seconds", "gauge",
           "When the service began, in seconds since 1970.", core.started);
  WriteRequests(core, metrics);
  WriteServer(core, metrics);
  WriteStore(core, metrics);
  WriteBandits(core, metrics);
  return metrics.Take();
}

}  // namespace manyarms::service
