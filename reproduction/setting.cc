#include "reproduction/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "manyarms/error.h"
#include "policy/kinds.h"
#include "search/kinds.h"

namespace manyarms::reproduction {
namespace {

[[noreturn]] void Refuse(const std::string& field, const Json& value) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} is {}, which is not known", field, value.dump()));
}

// A field that is not of the chosen policy or search is left alone: a table's
// settings may hold for all its algorithms.
void CheckFields(const Json& bandit) {
  std::set<std::string_view> known = {"policy", "search", "regularisation",
                                      "beam"};
  const auto collect = [&known](auto kind, const auto& defaults) {
    ForEachField(kind.kFields, defaults,
                 [&known](const About& about, const auto&, const auto&) {
                   known.insert(RowName(about));
                 });
  };
  PolicyKinds::ForEach(collect);
  SearchKinds::ForEach(collect);
  for (const auto& [field, value] : bandit.items()) {
    if (!known.contains(field)) Refuse(field, value);
  }
}

// Sets each field that the description has.
struct FieldParser {
  const Json& bandit;
  std::uint64_t steps;
  bool all_required;

  template <class Domain, class Value>
  void operator()(const About& about, const Domain& domain,
                  Value& value) const {
    const std::string name(RowName(about));
    if (all_required || bandit.contains(name)) {
      Set(name, bandit.at(name), domain, value);
    }
  }

  template <class Domain, class Value>
  void Set(const std::string&, const Json& given, const Domain&,
           Value& value) const {
    value = given.get<Value>();
  }
  template <class Value>
  void Set(const std::string& name, const Json& given,
           const Choices<Value>& choices, Value& value) const {
    const auto* choice =
        choices.Find(std::string_view(given.get_ref<const std::string&>()));
    if (choice == nullptr) Refuse(name, given);
    value = choice->value;
  }
  void Set(const std::string&, const Json& given, const Explorations&,
           Exploration& exploration) const {
    if (given == "theory") {
      exploration = TheoryRadius{.horizon = steps};
    } else {
      exploration = given.get<double>();
    }
  }
};

// What tables ask for where they say nothing else.
void SetDefaults(CertifiedOptions& options) { options.background = false; }
void SetDefaults(HnswOptions& options) {
  options.metric = HnswOptions::Metric::kInnerProduct;
}
void SetDefaults(auto&) {}

void WidenBeam(const Json& bandit, HnswOptions& options) {
  const std::size_t beam = bandit.at("beam");
  bandit.at("shortlist");  // a table must say it, too
  options.effort = std::max(beam, options.shortlist);
}
void WidenBeam(const Json&, auto&) {}

template <class Kinds>
auto Named(const std::string& what, const Json& name) {
  const auto options = Kinds::Named(name.get<std::string>());
  if (!options) Refuse(what, name);
  return *options;
}

PolicyOptions ParsePolicy(const Json& bandit, std::uint64_t steps) {
  auto policy = Named<PolicyKinds>("policy", bandit.at("policy"));
  PolicyKinds::Visit(policy, [&](auto kind, auto& options) {
    ForEachField(kind.kFields, options, FieldParser{bandit, steps, true});
  });
  return policy;
}

SearchOptions ParseSearch(const Json& bandit, std::uint64_t steps) {
  auto search = Named<SearchKinds>("search", bandit.at("search"));
  SearchKinds::Visit(search, [&](auto kind, auto& options) {
    SetDefaults(options);
    ForEachField(kind.kFields, options, FieldParser{bandit, steps, false});
    WidenBeam(bandit, options);
  });
  return search;
}

}  // namespace

BanditOptions ParseBandit(const Json& bandit, std::size_t dim,
                          std::uint64_t steps, std::uint64_t seed) {
  try {
    CheckFields(bandit);
    return {.dim = dim,
            .policy = ParsePolicy(bandit, steps),
            .search = ParseSearch(bandit, steps),
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
