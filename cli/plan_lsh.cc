#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "manyarms/error.h"
#include "manyarms/research/filter_tree_plan.h"
#include "output.h"
#include "reproduction/text.h"

namespace manyarms::cli {
namespace {

using Json = nlohmann::ordered_json;
using reproduction::Grouped;

struct Flags {
  std::size_t points = 100'000;
  std::size_t dim = 16;
  double ratio = 0.5;
  double sought = 0.8;
  std::string reduction = "both";
  double success = LshPlanRequest().success;
  std::size_t min_depth = 0;
  double tree_bytes = LshPlanRequest().max_bytes;
  bool json = false;
  std::string output;
};

// A plan with its request and its break-even point.
struct Planned {
  Reduction reduction;
  LshPlanRequest request;
  LshPlan plan;
  std::optional<std::size_t> break_even;
};

constexpr std::size_t kMostPoints = 100'000'000;

Planned PlanFor(const Flags& flags, Reduction reduction) {
  LshPlanRequest request;
  request.points = flags.points;
  request.dim = SphereDim(reduction, flags.dim);
  request.near = SphereCosine(reduction, flags.sought);
  request.far = {SphereCosine(reduction, flags.ratio * flags.sought)};
  request.success = flags.success;
  request.min_depth = flags.min_depth;
  request.max_bytes = flags.tree_bytes;
  return {reduction, request, PlanLsh(request),
          BreakEvenPoints(request, kMostPoints)};
}

// The problem degenerates at 0 and at 1.
void CheckOpenUnit(const char* name, double value) {
  if (value > 0 && value < 1) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} is {}, must be between 0 and 1", name, value));
}

std::string AsJson(const Flags& flags, const Planned& planned) {
  const LshPlan& plan = planned.plan;
  Json row;
  row["reduction"] = ReductionName(planned.reduction);
  row["points"] = flags.points;
  row["dim"] = flags.dim;
  row["ratio"] = flags.ratio;
  row["sought"] = flags.sought;
  row["near"] = planned.request.near;
  row["far"] = planned.request.far.front();
  row["depth"] = plan.shape.depth;
  if (!plan.is_scan()) {
    row["branching"] = plan.shape.branching;
    row["point_threshold"] = plan.shape.point_threshold;
    row["query_threshold"] = plan.query_threshold;
  }
  row["success"] = plan.success;
  row["directions"] = plan.directions;
  row["reads"] = plan.reads;
  row["candidates"] = plan.candidates;
  row["cost"] = plan.cost;
  row["scan_cost"] = flags.points;
  row["entries"] = plan.entries;
  row["insert_directions"] = plan.insert_directions;
  row["bytes"] = plan.bytes;
  row["break_even"] =
      planned.break_even ? Json(*planned.break_even) : Json(nullptr);
  row["sphere_exponent"] =
      AsymptoticExponent(planned.request.near, planned.request.far.front());
  row["paper_exponent"] = PaperExponent(flags.ratio, flags.sought);
  return row.dump();
}

// One line of the table: a value for each plan.
template <class Value>
std::string TableLine(const std::string& name,
                      const std::vector<Planned>& plans, const Value& value) {
  std::string line = fmt::format("{:<42}", name);
  for (const Planned& planned : plans) {
    line += fmt::format(" {:>16}", value(planned));
  }
  return line;
}

void PrintTable(const Flags& flags, const std::vector<Planned>& plans,
                Output& output) {
  const auto line = [&](const std::string& name, const auto& value) {
    output.Line(TableLine(name, plans, value));
  };
  const auto of_tree = [&](const std::string& name, const auto& value) {
    line(name, [&](const Planned& p) {
      return p.plan.is_scan() ? std::string("-") : value(p.plan);
    });
  };
  const auto number = [](double value) {
    return value < 100 ? fmt::format("{:.3g}", value) : Grouped(value);
  };
  const auto points = static_cast<double>(flags.points);
  output.Line(fmt::format(
      "to find <q, p> >= {:.4g} where a point has {:.4g} (c = {:.4g}, r = "
      "{:.4g}): {} points, dimension {}, success {:.4g}",
      flags.ratio * flags.sought, flags.sought, flags.ratio, flags.sought,
      Grouped(points), flags.dim, flags.success));
  line("reduction to the sphere",
       [](const Planned& p) { return ReductionName(p.reduction); });
  line("cosine of the point that must be found",
       [](const Planned& p) { return fmt::format("{:.4f}", p.request.near); });
  line("cosine of all others, at worst", [](const Planned& p) {
    return fmt::format("{:.4f}", p.request.far.front());
  });
  line("plan", [](const Planned& p) {
    return p.plan.is_scan() ? std::string("scan")
                            : fmt::format("depth {}", p.plan.shape.depth);
  });
  of_tree("  children of a node", [&](const LshPlan& plan) {
    return Grouped(static_cast<double>(plan.shape.branching));
  });
  of_tree("  threshold of points (eta_u)", [](const LshPlan& plan) {
    return fmt::format("{:.2f}", plan.shape.point_threshold);
  });
  of_tree("  threshold of queries (eta_q)", [](const LshPlan& plan) {
    return fmt::format("{:.3f}", plan.query_threshold);
  });
  of_tree("  expected success", [](const LshPlan& plan) {
    return fmt::format("{:.4f}", plan.success);
  });
  of_tree("a query: inner products with directions",
          [&](const LshPlan& plan) { return number(plan.directions); });
  of_tree("  points found, with repetitions",
          [&](const LshPlan& plan) { return number(plan.reads); });
  of_tree("  distinct points found",
          [&](const LshPlan& plan) { return number(plan.candidates); });
  line("  cost, in points scored by a scan",
       [&](const Planned& p) { return number(p.plan.cost); });
  line("  less than a scan by", [&](const Planned& p) {
    return fmt::format("{:.2f} times", points / p.plan.cost);
  });
  of_tree("a point: leaves that hold it",
          [&](const LshPlan& plan) { return number(plan.entries); });
  of_tree("  inner products to insert it",
          [&](const LshPlan& plan) { return number(plan.insert_directions); });
  line("memory", [&](const Planned& p) {
    return fmt::format("{:.4g} MB", p.plan.bytes / 1e6);
  });
  line("a tree beats a scan", [](const Planned& p) {
    return p.break_even
               ? fmt::format("from {}",
                             Grouped(static_cast<double>(*p.break_even)))
               : std::string("not up to 10^8");
  });
  line("exponent of K, as K grows without bound", [](const Planned& p) {
    return fmt::format(
        "{:.4f}", AsymptoticExponent(p.request.near, p.request.far.front()));
  });
  output.Line(fmt::format("rho_q of Proposition 3.2: {:.4f}",
                          PaperExponent(flags.ratio, flags.sought)));
}

void PlanTrees(const Flags& flags) {
  CheckOpenUnit("ratio", flags.ratio);
  CheckOpenUnit("sought", flags.sought);
  std::vector<Planned> plans;
  for (const auto reduction : {Reduction::kSymmetric, Reduction::kPaper}) {
    if (flags.reduction == "both" ||
        flags.reduction == ReductionName(reduction)) {
      plans.push_back(PlanFor(flags, reduction));
    }
  }
  Output output(flags.output);
  if (!flags.json) {
    PrintTable(flags, plans, output);
    return;
  }
  for (const Planned& planned : plans) output.Line(AsJson(flags, planned));
}

}  // namespace

void AddPlanLsh(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "plan-lsh",
      "Plan a filter tree; print its expected costs and the number of points "
      "from which it beats a scan");
  command->option_defaults()->always_capture_default();
  command->fallthrough();
  command->add_option("--points", flags->points, "Number of points (K)")
      ->check(Count());
  command->add_option("--dim", flags->dim, "Dimension of the points")
      ->check(Count());
  command->add_option("--ratio", flags->ratio,
                      "An answer needs this share of the sought inner product "
                      "(c)");
  command->add_option("--sought", flags->sought,
                      "Inner product that must be found, for points and "
                      "queries of length at most 1 (r)");
  command
      ->add_option("--reduction", flags->reduction,
                   "How points are mapped to the sphere")
      ->check(CLI::IsMember({"both", "symmetric", "paper"}));
  command->add_option("--success", flags->success,
                      "Probability with which it must be found");
  command
      ->add_option("--min-depth", flags->min_depth,
                   "Least depth; 1 forces a tree even if a scan costs less")
      ->check(Count());
  command->add_option("--tree-bytes", flags->tree_bytes,
                      "The most memory that the tree may take, in bytes");
  command->add_flag("--json", flags->json,
                    "Print one JSON object for each reduction");
  command->add_option("--output", flags->output,
                      "Write to this file instead of standard output");
  command->callback([flags] { PlanTrees(*flags); });
}

}  // namespace manyarms::cli
