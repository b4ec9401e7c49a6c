#include "options.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "manyarms/error.h"
#include "words.h"

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

// Options are values: equal, shown, copied and pickled by their fields, which
// are what their constructors take.
template <class Options>
void BindAsValue(nb::class_<Options>& options,
                 std::initializer_list<const char*> names) {
  const auto fields = [names = std::vector<const char*>(names)](nb::handle of) {
    nb::dict fields;
    for (const char* name : names) fields[name] = of.attr(name);
    return fields;
  };
  options
      .def("__repr__",
           [fields](nb::handle self) {
             std::string text;
             for (const auto& [name, value] : fields(self)) {
               text += fmt::format("{}{}={}", text.empty() ? "" : ", ",
                                   Text(name), Text(nb::repr(value)));
             }
             return fmt::format("{}({})", TypeName(self), text);
           })
      .def(
          "__eq__",
          [fields](nb::handle self, nb::handle other) {
            return self.type().is(other.type()) &&
                   fields(self).equal(fields(other));
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [fields](nb::handle self) {
             return nb::hash(nb::tuple(fields(self).values()));
           })
      .def(
          "__reduce__",
          [fields](nb::handle self) {
            const nb::object partial =
                nb::module_::import_("functools").attr("partial");
            return nb::make_tuple(partial(self.type(), **fields(self)),
                                  nb::tuple());
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
}

void BindTheoryRadius(nb::module_& module) {
  nb::class_<TheoryRadius> radius(
      module, "TheoryRadius",
      "An exploration as the paper's analysis has it, far larger than what "
      "works best in practice.");
  radius
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
  BindAsValue(radius, {"horizon", "delta"});
}

void BindScan(nb::module_& module) {
  nb::class_<ScanOptions> scan(module, "Scan", "Looks at every arm. Exact.");
  scan.def(nb::init<>());
  BindAsValue(scan, {});
}

void BindCertified(nb::module_& module) {
  nb::class_<CertifiedOptions> certified(
      module, "Certified",
      "The scan's decisions, to the last bit, at a small part of its cost. "
      "Nothing to tune.");
  certified
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
  BindAsValue(certified, {"background", "check_every"});
}

void BindHnsw(nb::module_& module) {
  nb::class_<HnswOptions> hnsw(
      module, "Hnsw",
      "HNSW graphs with shortlists, as in the paper's experiments. "
      "Approximate.");
  hnsw.def(
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
  BindAsValue(hnsw, {"shortlist", "metric", "links", "build_effort", "effort"});
}

void BindLsh(nb::module_& module) {
  nb::class_<LshOptions> lsh(module, "Lsh",
                             "Filter trees as they serve best in practice. "
                             "Approximate.");
  lsh.def(
         "__init__",
         [](LshOptions* self, double success, const std::string& reduction,
            std::size_t min_depth, double max_bytes) {
           new (self) LshOptions{.success = success,
                                 .reduction = ParseReduction(reduction),
                                 .min_depth = min_depth,
                                 .max_bytes = max_bytes};
         },
         nb::kw_only(), "success"_a = 0.9, "reduction"_a = "symmetric",
         "min_depth"_a = 0, "max_bytes"_a = 2e9,
         "success: how probably an arm that is better is found.\n"
         "reduction: 'symmetric' or 'paper'.\n"
         "min_depth: 1 for trees even where a scan costs less.\n"
         "max_bytes: of the trees, as planned.")
      .def_ro("success", &LshOptions::success)
      .def_prop_ro("reduction",
                   [](const LshOptions& options) {
                     return std::string(ReductionName(options.reduction));
                   })
      .def_ro("min_depth", &LshOptions::min_depth)
      .def_ro("max_bytes", &LshOptions::max_bytes);
  BindAsValue(lsh, {"success", "reduction", "min_depth", "max_bytes"});
}

void BindLshTheory(nb::module_& module) {
  nb::class_<LshTheoryOptions> lsh(
      module, "LshTheory",
      "The paper's adaptive solver with the parameters of its proofs, for "
      "small arm sets.");
  lsh.def(
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
         "threads"_a = 1, "max_bytes"_a = 4e9,
         "accuracy: eta of Algorithm 4.\n"
         "delta: how likely any answer may be wrong.\n"
         "reduction: 'symmetric' or 'paper'.\n"
         "copies: kappa; 0 means by the paper's formula.\n"
         "min_depth: 0 for scans where they cost less than trees.\n"
         "threads: that ask copies at the same time.\n"
         "max_bytes: of the trees, as planned.")
      .def_ro("accuracy", &LshTheoryOptions::accuracy)
      .def_ro("delta", &LshTheoryOptions::delta)
      .def_prop_ro("reduction",
                   [](const LshTheoryOptions& options) {
                     return std::string(ReductionName(options.reduction));
                   })
      .def_ro("copies", &LshTheoryOptions::copies)
      .def_ro("min_depth", &LshTheoryOptions::min_depth)
      .def_ro("threads", &LshTheoryOptions::threads)
      .def_ro("max_bytes", &LshTheoryOptions::max_bytes);
  BindAsValue(lsh, {"accuracy", "delta", "reduction", "copies", "min_depth",
                    "threads", "max_bytes"});
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
  BindTheoryRadius(module);
  BindCertified(module);
  BindScan(module);
  BindHnsw(module);
  BindLsh(module);
  BindLshTheory(module);
}

}  // namespace manyarms::python
