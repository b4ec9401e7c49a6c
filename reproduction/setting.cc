#include "reproduction/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "manyarms/error.h"

namespace manyarms::reproduction {
namespace {

[[noreturn]] void Refuse(const std::string& field, const Json& value) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} is {}, which is not known", field, value.dump()));
}

void CheckFields(const Json& bandit) {
  static const std::set<std::string> known = {
      "policy",         "search",    "exploration", "accuracy",
      "regularisation", "shortlist", "beam"};
  for (const auto& [field, value] : bandit.items()) {
    if (!known.contains(field)) Refuse(field, value);
  }
}

Exploration ParseExploration(const Json& bandit, std::uint64_t steps) {
  const Json& given = bandit.at("exploration");
  if (given == "theory") return TheoryRadius{.horizon = steps};
  return given.get<double>();
}

PolicyOptions ParsePolicy(const Json& bandit, std::uint64_t steps) {
  const Exploration exploration = ParseExploration(bandit, steps);
  if (bandit.at("policy") == "ts") return ThompsonOptions{exploration};
  if (bandit["policy"] == "elim") {
    return EliminationOptions{exploration, bandit.at("accuracy")};
  }
  Refuse("policy", bandit["policy"]);
}

SearchOptions ParseSearch(const Json& bandit) {
  const Json& search = bandit.at("search");
  if (search == "scan") return ScanOptions{};
  if (search == "certified") return CertifiedOptions{.background = false};
  if (search == "hnsw") {
    const std::size_t shortlist = bandit.at("shortlist");
    const std::size_t beam = bandit.at("beam");
    return HnswOptions{.shortlist = shortlist,
                       .metric = HnswOptions::Metric::kInnerProduct,
                       .effort = std::max(beam, shortlist)};
  }
  if (search == "lsh") return LshOptions{};
  Refuse("search", search);
}

}  // namespace

BanditOptions ParseBandit(const Json& bandit, std::size_t dim,
                          std::uint64_t steps, std::uint64_t seed) {
  try {
    CheckFields(bandit);
    return {.dim = dim,
            .policy = ParsePolicy(bandit, steps),
            .search = ParseSearch(bandit),
            .regularisation = bandit.at("regularisation"),
            .seed = seed};
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("not a bandit's description: {}", error.what()));
  }
}

double EstimatedSeconds(const Json& world, const Json& bandit) {
  const double steps = world.at("steps");
  const double added =
      world.value("add", 0.0) * steps / world.at("every").get<double>();
  const double arms = world.at("arms").get<double>() + added;
  const bool eliminates = bandit.at("policy") == "elim";
  const double own = 2e-6 * steps;
  if (bandit.at("search") == "hnsw") {
    // Measured at 5,000 and 100,000 arms.
    const double insertion =
        (eliminates ? 4.7e-4 : 2.4e-4) * std::sqrt(arms / 1e5);
    const double query = eliminates ? 0 : 4.5e-5;
    return own + arms * insertion + steps * query;
  }
  if (bandit["search"] == "scan" && !eliminates) {
    return own + 5e-10 * arms * steps;
  }
  return 2 * own + 1e-6 * arms;
}

}  // namespace manyarms::reproduction
