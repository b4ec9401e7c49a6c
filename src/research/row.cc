#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/kernels.h"
#include "manyarms/research/experiment.h"
#include "manyarms/version.h"
#include "policy/kinds.h"
#include "search/kinds.h"

namespace manyarms {
namespace {

using Json = nlohmann::ordered_json;

// Writes each field of options into a row.
struct FieldDescriber {
  Json& row;
  bool first;  // those that come first, or the others

  template <class Domain, class Value>
  void operator()(const About& about, const Domain& domain,
                  const Value& value) const {
    if (about.first_in_row == first) Describe(RowName(about), domain, value);
  }

  template <class Domain, class Value>
  void Describe(std::string_view name, const Domain&,
                const Value& value) const {
    row[std::string(name)] = value;
  }
  template <class Value>
  void Describe(std::string_view name, const Choices<Value>& choices,
                const Value& value) const {
    row[std::string(name)] = choices.Name(value);
  }
  void Describe(std::string_view name, const Explorations&,
                const Exploration& exploration) const {
    if (const double* constant = std::get_if<double>(&exploration)) {
      row[std::string(name)] = *constant;
    } else {
      row[std::string(name)] = "theory";
      row["delta"] = std::get<TheoryRadius>(exploration).delta;
    }
  }
};

template <class Kinds>
void DescribeOptions(const typename Kinds::Variant& options, Json& row) {
  Kinds::Visit(options, [&row](auto kind, const auto& held) {
    for (const bool first : {true, false}) {
      ForEachField(kind.kFields, held, FieldDescriber{row, first});
    }
  });
}

const char* PriorName(const PopulationPrior& prior) {
  if (std::holds_alternative<SharedPrior>(prior)) return "shared";
  return std::holds_alternative<GaussianPrior>(prior) ? "given" : "independent";
}

// Rows of runs without learners and contexts stay as they have always been.
void DescribeVisits(const RunSpec& spec, Json& row) {
  const SyntheticOptions& world = spec.environment;
  if (world.learners > 0) {
    row["learners"] = world.learners;
    row["own_share"] = world.own_share;
    row["zipf"] = world.zipf;
    row["order_budget"] = spec.order_budget;
    row["prior"] = PriorName(spec.prior);
  }
  if (world.context_dim > 0) {
    row["context_dim"] = world.context_dim;
    row["context_constants"] = world.context_constants;
    row["distinct_contexts"] = world.distinct_contexts;
  }
}

void DescribeClicksAndChanges(const SyntheticOptions& world, Json& row) {
  if (world.click_rate > 0) {
    row["click_rate"] = world.click_rate;
    row["click_spread"] = world.click_spread;
  }
  if (world.turn_every > 0) row["turn_every"] = world.turn_every;
  if (world.drift > 0) row["drift"] = world.drift;
}

// Counters come in the order in which rows have always had them; new ones
// follow.
void DescribeStats(const RunSpec& spec, const RunResult& result, Json& row) {
  row["arms_scored"] = result.stats.arms_scored;
  const bool eliminates =
      std::holds_alternative<EliminationOptions>(spec.policy);
  if (eliminates) {
    row["eliminations"] = result.stats.eliminations;
    row["mass_elimination_step"] = result.mass_elimination_step;
    row["mass_elimination_seconds"] = result.mass_elimination_seconds;
  }
  row["recoveries"] = result.stats.recoveries;
  ForEachPolicyCounter(
      [&](std::string_view name, const auto& counter) {
        if (eliminates || name != "eliminations") {
          row[std::string(name)] = counter;
        }
      },
      static_cast<const PolicyStats&>(result.stats));
  if (spec.environment.learners > 0) {
    row["learners_came"] = result.stats.learners;
    row["learner_bytes"] = result.stats.learner_bytes;
    row["finders"] = result.stats.finders;
    row["finder_bytes"] = result.stats.finder_bytes;
    row["prior_refits"] = result.stats.prior_refits;
  }
}

}  // namespace

std::string JsonRow(const RunSpec& spec, const RunResult& result) {
  const SyntheticOptions& world = spec.environment;
  Json row;
  row["policy"] = PolicyName(spec.policy);
  row["search"] = SearchName(spec.search);
  row["arms"] = world.arms;
  row["dim"] = world.dim;
  row["steps"] = spec.steps;
  row["add"] = world.add;
  row["remove"] = world.remove;
  row["every"] = world.every;
  row["noise"] = world.noise;
  row["seed"] = world.seed;
  row["theta_seed"] = world.theta_seed;
  row["unit_ball"] = world.unit_ball;
  DescribeVisits(spec, row);
  DescribeClicksAndChanges(world, row);
  DescribeOptions<PolicyKinds>(spec.policy, row);
  row["regularisation"] = spec.regularisation;
  row["negative_rewards"] = spec.negative_rewards;
  if (spec.rewards != RewardModel::kLinear) {
    row["rewards"] = RewardModelName(spec.rewards);
  }
  if (spec.forgetting != 1) row["forgetting"] = spec.forgetting;
  if (spec.explore_uniform > 0) {
    row["explore_uniform"] = spec.explore_uniform;
    row["uniform_choices"] = result.uniform_choices;
  }
  DescribeOptions<SearchKinds>(spec.search, row);

  row["regret"] = result.regret;
  row["setup_seconds"] = result.setup_seconds;
  row["run_seconds"] = result.run_seconds;
  DescribeStats(spec, result, row);
  row["decision_digest"] = fmt::format("{:016x}", result.decision_digest);
  row["latency_us"] = {{"p50", result.latency.p50},
                       {"p99", result.latency.p99},
                       {"p999", result.latency.p999},
                       {"max", result.latency.max},
                       {"mean", result.latency.mean}};
  row["peak_rss_bytes"] = result.peak_rss_bytes;
  row["instructions"] = kernels::InstructionSet();
  row["version"] = kVersion;
  return row.dump();
}

}  // namespace manyarms
