#include "options.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "manyarms/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

using Metric = HnswOptions::Metric;

Metric ParseMetric(const std::string& name) {
  for (const Metric metric :
       {Metric::kBoth, Metric::kEuclidean, Metric::kInnerProduct}) {
    if (MetricName(metric) == name) return metric;
  }
  Refuse(
      fmt::format("there is no metric '{}', only 'both', 'euclidean' and "
                  "'inner-product'",
                  name));
}

Reduction ParseReduction(const std::string& name) {
  for (const Reduction reduction : {Reduction::kSymmetric, Reduction::kPaper}) {
    if (ReductionName(reduction) == name) return reduction;
  }
  Refuse(fmt::format("there is no reduction '{}', only 'symmetric' and 'paper'",
                     name));
}

void BindCertified(nb::module_& module) {
  nb::class_<CertifiedOptions>(
      module, "Certified",
      "The scan's decisions, to the last bit, at a small part of its cost. "
      "Nothing to tune.")
      .def(
          "__init__",
          [](CertifiedOptions* self, bool background,
             std::uint64_t check_every) {
            new (self) CertifiedOptions{.background = background,
                                        .check_every = check_every};
          },
          nb::kw_only(), "background"_a = true, "check_every"_a = 0,
          "background: takes snapshots on a thread of its own.\n"
          "check_every: holds every n-th answer against a full scan; 0: "
          "never.")
      .def_ro("background", &CertifiedOptions::background)
      .def_ro("check_every", &CertifiedOptions::check_every);
}

void BindHnsw(nb::module_& module) {
  nb::class_<HnswOptions>(
      module, "Hnsw",
      "HNSW graphs with shortlists, as in the paper's experiments. "
      "Approximate.")
      .def(
          "__init__",
          [](HnswOptions* self, std::size_t shortlist,
             const std::string& metric, std::size_t links,
             std::size_t build_effort, std::size_t effort) {
            new (self) HnswOptions{.shortlist = shortlist,
                                   .metric = ParseMetric(metric),
                                   .links = links,
                                   .build_effort = build_effort,
                                   .effort = effort};
          },
          nb::kw_only(), "shortlist"_a = 30, "metric"_a = "both",
          "links"_a = 16, "build_effort"_a = 200, "effort"_a = 0,
          "metric: 'both', 'euclidean' or 'inner-product'.\n"
          "effort: 0 means as long as the shortlist.")
      .def_ro("shortlist", &HnswOptions::shortlist)
      .def_prop_ro("metric",
                   [](const HnswOptions& options) {
                     return std::string(MetricName(options.metric));
                   })
      .def_ro("links", &HnswOptions::links)
      .def_ro("build_effort", &HnswOptions::build_effort)
      .def_ro("effort", &HnswOptions::effort);
}

void BindLsh(nb::module_& module) {
  nb::class_<LshOptions>(module, "Lsh",
                         "Filter trees as they serve best in practice. "
                         "Approximate.")
      .def(
          "__init__",
          [](LshOptions* self, double success, const std::string& reduction,
             std::size_t min_depth, double max_bytes) {
            new (self) LshOptions{.success = success,
                                  .reduction = ParseReduction(reduction),
                                  .min_depth = min_depth,
                                  .max_bytes = max_bytes};
          },
          nb::kw_only(), "success"_a = 0.9, "reduction"_a = "symmetric",
          "min_depth"_a = 0, "max_bytes"_a = 2e9)
      .def_ro("success", &LshOptions::success)
      .def_ro("min_depth", &LshOptions::min_depth)
      .def_ro("max_bytes", &LshOptions::max_bytes);
  nb::class_<LshTheoryOptions>(
      module, "LshTheory",
      "The paper's adaptive solver with the parameters of its proofs, for "
      "small arm sets.")
      .def(
          "__init__",
          [](LshTheoryOptions* self, double accuracy, double delta,
             const std::string& reduction, std::size_t copies,
             std::size_t min_depth, std::size_t threads, double max_bytes) {
            new (self) LshTheoryOptions{.accuracy = accuracy,
                                        .delta = delta,
                                        .reduction = ParseReduction(reduction),
                                        .copies = copies,
                                        .min_depth = min_depth,
                                        .threads = threads,
                                        .max_bytes = max_bytes};
          },
          nb::kw_only(), "accuracy"_a = 0.1, "delta"_a = 0.05,
          "reduction"_a = "symmetric", "copies"_a = 0, "min_depth"_a = 1,
          "threads"_a = 1, "max_bytes"_a = 4e9)
      .def_ro("accuracy", &LshTheoryOptions::accuracy)
      .def_ro("delta", &LshTheoryOptions::delta)
      .def_ro("copies", &LshTheoryOptions::copies);
}

}  // namespace

PolicyOptions MakePolicyOptions(const std::string& policy,
                                const PyExploration& exploration,
                                std::optional<double> accuracy) {
  const Exploration beta = std::visit(
      [](const auto& value) { return Exploration(value); }, exploration);
  if (policy == "elim") {
    EliminationOptions options{.exploration = beta};
    if (accuracy) options.accuracy = *accuracy;
    return options;
  }
  if (accuracy) Refuse("accuracy is for the policy 'elim' only");
  if (policy == "ts") return ThompsonOptions{.exploration = beta};
  if (policy == "ucb") return UcbOptions{.exploration = beta};
  Refuse(fmt::format("there is no policy '{}', only 'ts', 'ucb' and 'elim'",
                     policy));
}

SearchOptions MakeSearchOptions(const PySearch& search) {
  const auto* name = std::get_if<std::string>(&search);
  if (name == nullptr) {
    return std::visit(
        []<class Options>(const Options& options) -> SearchOptions {
          if constexpr (std::is_same_v<Options, std::string>) {
            return {};
          } else {
            return options;
          }
        },
        search);
  }
  for (const SearchOptions& options :
       {SearchOptions(CertifiedOptions{}), SearchOptions(ScanOptions{}),
        SearchOptions(HnswOptions{}), SearchOptions(LshOptions{}),
        SearchOptions(LshTheoryOptions{})}) {
    if (SearchName(options) == *name) return options;
  }
  Refuse(
      fmt::format("there is no search '{}', only 'certified', 'scan', "
                  "'hnsw', 'lsh' and 'lsh-theory'",
                  *name));
}

PyExploration ExplorationOf(const PolicyOptions& policy) {
  return std::visit(
      [](const auto& options) -> PyExploration {
        return static_cast<const PyExploration&>(options.exploration);
      },
      policy);
}

nb::object SearchObject(const SearchOptions& search) {
  return std::visit([](const auto& options) { return nb::cast(options); },
                    search);
}

void BindOptions(nb::module_& module) {
  nb::class_<TheoryRadius>(
      module, "TheoryRadius",
      "An exploration as the paper's analysis has it, far larger than what "
      "works best in practice.")
      .def(
          "__init__",
          [](TheoryRadius* self, std::uint64_t horizon, double delta) {
            new (self) TheoryRadius{.horizon = horizon, .delta = delta};
          },
          "horizon"_a, "delta"_a = 0.05,
          "horizon: how many steps there will be.\n"
          "delta: how likely the intervals may fail.")
      .def_ro("horizon", &TheoryRadius::horizon)
      .def_ro("delta", &TheoryRadius::delta);
  BindCertified(module);
  nb::class_<ScanOptions>(module, "Scan", "Looks at every arm. Exact.")
      .def(nb::init<>());
  BindHnsw(module);
  BindLsh(module);
}

}  // namespace manyarms::python
