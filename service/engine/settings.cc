#include "service/engine/settings.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <variant>

#include "base/check.h"
#include "manyarms/error.h"
#include "manyarms/rewards.h"
#include "policy/kinds.h"
#include "search/kinds.h"
#include "service/engine/strict_json.h"

namespace manyarms::service {
namespace {

constexpr std::size_t kDefaultPending = std::size_t{1} << 20;
constexpr double kLongestWait = 366.0 * 86400;
constexpr std::uint64_t kMostDraws = 100'000;

constexpr Choices<Aggregation>::Choice kAggregations[] = {
    {Aggregation::kFirst, "first"},
    {Aggregation::kSum, "sum"},
    {Aggregation::kLast, "last"}};
constexpr Choices<Mode>::Choice kModes[] = {{Mode::kServe, "serve"},
                                            {Mode::kApprentice, "apprentice"}};
constexpr Choices<Aggregation> kAllAggregations{kAggregations};
constexpr Choices<Mode> kAllModes{kModes};

template <class Value>
void TakeChoice(FieldTaker& fields, const std::string& name,
                const Choices<Value>& choices, Value& value) {
  const std::optional<std::string> text = fields.Text(name);
  if (!text) return;
  const auto* choice = choices.Find(std::string_view(*text));
  if (choice == nullptr) {
    std::string names;
    for (const auto& one : choices.all) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    }
    FieldTaker::Refuse(name, *text, "one of " + names);
  }
  value = choice->value;
}

// Takes a value of an option of a policy or search, whatever its type.
struct OptionTaker {
  FieldTaker& fields;

  template <class Domain, class Value>
  void operator()(const About& about, const Domain& domain,
                  Value& value) const {
    Take(std::string(about.name), domain, value);
  }

  void Take(const std::string& name, const Counts&,
            std::integral auto& value) const {
    using Value = std::remove_reference_t<decltype(value)>;
    if (const auto count = fields.Count(name)) {
      value = static_cast<Value>(*count);
      if (value != *count) {
        FieldTaker::Refuse(name, *count, "a smaller number");
      }
    }
  }
  void Take(const std::string& name, const Reals&, double& value) const {
    if (const auto number = fields.Number(name)) value = *number;
  }
  void Take(const std::string& name, const Switch&, bool& value) const {
    if (const auto truth = fields.Truth(name)) value = *truth;
  }
  template <class Value>
  void Take(const std::string& name, const Choices<Value>& choices,
            Value& value) const {
    TakeChoice(fields, name, choices, value);
  }
  void Take(const std::string& name, const Explorations&,
            Exploration& value) const {
    const std::optional<Json> given = fields.Any(name);
    if (!given) return;
    if (!given->is_number()) {
      FieldTaker::Refuse(name, *given,
                         "a number (exploration by theory needs a horizon, "
                         "which a service does not have)");
    }
    value = given->get<double>();
  }
};

template <class Kinds>
void TakeKind(FieldTaker& fields, const std::string& family,
              typename Kinds::Variant& options) {
  if (const std::optional<std::string> name = fields.Text(family)) {
    const auto named = Kinds::Named(*name);
    if (!named) {
      std::string names;
      for (const std::string_view one : Kinds::Names()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", one);
      }
      FieldTaker::Refuse(family, *name, "one of " + names);
    }
    options = *named;
  }
  Kinds::Visit(options, [&](auto kind, auto& held) {
    ForEachField(kind.kFields, held, OptionTaker{fields});
  });
}

void TakeCount(FieldTaker& fields, const std::string& name,
               std::size_t& value) {
  if (const auto count = fields.Count(name)) value = *count;
}
void TakeNumber(FieldTaker& fields, const std::string& name, double& value) {
  if (const auto number = fields.Number(name)) value = *number;
}
void TakeTruth(FieldTaker& fields, const std::string& name, bool& value) {
  if (const auto truth = fields.Truth(name)) value = *truth;
}

void TakeForgetting(FieldTaker& fields, PopulationOptions& options) {
  const std::optional<double> half_life = fields.Number("half_life");
  if (half_life && fields.Has("forgetting")) {
    throw Error(ErrorCode::kInvalidArgument,
                "forgetting and half_life say the same: give one of them");
  }
  TakeNumber(fields, "forgetting", options.forgetting);
  if (half_life) options.forgetting = ForgettingOfHalfLife(*half_life);
}

void TakePopulation(FieldTaker& fields, PopulationOptions& options) {
  const std::optional<std::uint64_t> dim = fields.Count("dim");
  if (!dim) {
    throw Error(ErrorCode::kInvalidArgument,
                "dim is missing: the number of features of an arm");
  }
  CheckCount("dim", *dim, 1, kMaxDim);
  options.dim = *dim;
  TakeKind<PolicyKinds>(fields, "policy", options.policy);
  TakeKind<SearchKinds>(fields, "search", options.search);
  TakeNumber(fields, "regularisation", options.regularisation);
  if (const auto rewards = fields.Text("rewards")) {
    const std::optional<RewardModel> model = RewardModelNamed(*rewards);
    if (!model) FieldTaker::Refuse("rewards", *rewards, "linear or clicks");
    options.rewards = *model;
  }
  TakeForgetting(fields, options);
  TakeNumber(fields, "explore_uniform", options.explore_uniform);
  TakeCount(fields, "context_dim", options.context_dim);
  TakeTruth(fields, "context_constants", options.context_constants);
  TakeTruth(fields, "negative_rewards", options.negative_rewards);
  if (const auto seed = fields.Count("seed")) options.seed = *seed;
  TakeCount(fields, "max_pending", options.max_pending);
  TakeCount(fields, "order_budget", options.order_budget);
}

void TakeSemantics(FieldTaker& fields, Semantics& semantics) {
  TakeNumber(fields, "reward_wait", semantics.reward_wait);
  CheckWithin("reward_wait", semantics.reward_wait, 0.001, kLongestWait);
  if (fields.Has("default_reward")) {
    semantics.default_reward = fields.Number("default_reward");
  }
  TakeChoice(fields, "aggregation", kAllAggregations, semantics.aggregation);
  TakeChoice(fields, "mode", kAllModes, semantics.mode);
  if (const auto draws = fields.Count("probability_draws")) {
    CheckCount("probability_draws", *draws, 0, kMostDraws);
    semantics.probability_draws = *draws;
  }
}

void CheckDefault(const Semantics& semantics,
                  const PopulationOptions& population) {
  if (!semantics.default_reward) return;
  const bool clicks = population.rewards == RewardModel::kClicks;
  CheckWithin("default_reward", *semantics.default_reward,
              clicks ? 0 : -kMaxReward, clicks ? 1 : kMaxReward);
}

Json ValueOf(const Explorations&, const Exploration& value) {
  return std::get<double>(value);
}
template <class Value>
Json ValueOf(const Choices<Value>& choices, Value value) {
  return choices.Name(value);
}
template <class Domain, class Value>
Json ValueOf(const Domain&, const Value& value) {
  return value;
}

void AddSemantics(const Semantics& semantics, Json& json) {
  json["reward_wait"] = semantics.reward_wait;
  json["default_reward"] = semantics.default_reward
                               ? Json(*semantics.default_reward)
                               : Json(nullptr);
  json["aggregation"] = kAllAggregations.Name(semantics.aggregation);
  json["mode"] = kAllModes.Name(semantics.mode);
  json["probability_draws"] = semantics.probability_draws;
}

}  // namespace

Settings ParseSettings(std::string_view json) {
  FieldTaker fields(ParseObject(json));
  Settings settings;
  settings.population.max_pending = kDefaultPending;
  TakePopulation(fields, settings.population);
  if (const auto arms = fields.Text("arms")) {
    if (*arms != "names" && *arms != "numbers") {
      FieldTaker::Refuse("arms", *arms, "names or numbers");
    }
    settings.named_arms = *arms == "names";
  }
  TakeSemantics(fields, settings.semantics);
  fields.End();
  CheckDefault(settings.semantics, settings.population);
  if (settings.population.negative_rewards) {
    throw Error(ErrorCode::kUnsupported,
                "negative_rewards is not served: features that are converted "
                "and back may differ in the last bit, and a restart would not "
                "decide alike");
  }
  if (!std::holds_alternative<CertifiedOptions>(settings.population.search) &&
      !std::holds_alternative<ScanOptions>(settings.population.search)) {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("search {} is not served: what it finds depends on the "
                    "order in which arms came and went, and a restart would "
                    "not decide alike; certified and scan are served",
                    SearchName(settings.population.search)));
  }
  // The population checks everything else when it is made.
  [[maybe_unused]] const Population checked(settings.population);
  return settings;
}

std::string ToJson(const Settings& settings) {
  const PopulationOptions& population = settings.population;
  Json json;
  json["dim"] = population.dim;
  const auto add_fields = [&json](auto kind, const auto& options) {
    ForEachField(
        kind.kFields, options,
        [&](const About& about, const auto& domain, const auto& value) {
          json[std::string(about.name)] = ValueOf(domain, value);
        });
  };
  json["policy"] = PolicyName(population.policy);
  PolicyKinds::Visit(population.policy, add_fields);
  json["search"] = SearchName(population.search);
  SearchKinds::Visit(population.search, add_fields);
  json["regularisation"] = population.regularisation;
  json["rewards"] = RewardModelName(population.rewards);
  json["forgetting"] = population.forgetting;
  json["explore_uniform"] = population.explore_uniform;
  json["context_dim"] = population.context_dim;
  json["context_constants"] = population.context_constants;
  json["seed"] = population.seed;
  json["max_pending"] = population.max_pending;
  json["order_budget"] = population.order_budget;
  json["arms"] = settings.named_arms ? "names" : "numbers";
  AddSemantics(settings.semantics, json);
  return json.dump();
}

Semantics ParseChanges(std::string_view json, const Settings& before) {
  FieldTaker fields(ParseObject(json));
  Semantics semantics = before.semantics;
  TakeSemantics(fields, semantics);
  fields.End();
  CheckDefault(semantics, before.population);
  return semantics;
}

}  // namespace manyarms::service
