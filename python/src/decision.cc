#include "decision.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <tuple>
#include <utility>

#include "words.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

// An array of objects, or a pandas column of them, as a list; anything else as
// it is.
nb::object AsListOfObjects(nb::handle given) {
  const bool objects = nb::hasattr(given, "dtype") &&
                       nb::hasattr(given, "tolist") &&
                       ElementName(given) == "object";
  return objects ? nb::object(given.attr("tolist")()) : nb::borrow(given);
}

}  // namespace

DecisionOrId ParseDecision(nb::handle decision) {
  if (nb::isinstance<PyDecision>(decision)) {
    return nb::cast<const PyDecision&>(decision);
  }
  return ParseNumber(decision, {"a decision", "a Decision or an int"});
}

std::vector<DecisionOrId> ParseDecisions(nb::handle given) {
  const nb::object decisions = AsListOfObjects(given);
  if (PyList_Check(decisions.ptr()) || PyTuple_Check(decisions.ptr())) {
    std::vector<DecisionOrId> parsed;
    parsed.reserve(nb::len(decisions));
    for (nb::handle decision : decisions) {
      parsed.push_back(ParseDecision(decision));
    }
    return parsed;
  }
  const PyIds ids = ParseIds(decisions, {"decisions", "Decisions or ints"});
  const auto* numbers = std::get_if<Numbers>(&ids);
  if (numbers == nullptr) {
    throw nb::type_error("decisions must be Decisions or ints, not strings");
  }
  return {numbers->begin(), numbers->end()};
}

void BindDecision(nb::module_& module) {
  nb::class_<PyDecision>(
      module, "Decision",
      "A bandit's choice of an arm. Its reward can be learned at any later "
      "time.")
      .def_ro("id", &PyDecision::id,
              "The decision's number: 1, 2, 3, ... learn accepts it, too.")
      .def_prop_ro(
          "arm", [](const PyDecision& decision) { return decision.arm; },
          nb::for_getter(nb::sig("def arm(self) -> typing.Any")),
          "The arm's id, an int or a string as it was added.")
      .def_ro("score", &PyDecision::score,
              "The number by which the arm was chosen, in units of rewards: a "
              "sampled reward (ts), an upper bound of the reward (ucb) or an "
              "uncertainty (elim). It has single precision. 0 if the arm was "
              "drawn uniformly.")
      .def_ro("eligible", &PyDecision::eligible,
              "The number of arms that were eligible.")
      .def_ro("uniform", &PyDecision::uniform,
              "Whether the arm was drawn uniformly among them "
              "(explore_uniform).")
      .def("__repr__",
           [](const PyDecision& decision) {
             return nb::str("Decision(id={}, arm={!r}, score={:.6g}{})")
                 .format(decision.id, decision.arm, decision.score,
                         decision.uniform ? ", uniform=True" : "");
           })
      .def(
          "__eq__",
          [](const PyDecision& one, nb::handle other) {
            if (!nb::isinstance<PyDecision>(other)) return false;
            const auto& two = nb::cast<const PyDecision&>(other);
            return one.id == two.id && one.arm == two.arm &&
                   one.score == two.score && one.eligible == two.eligible &&
                   one.uniform == two.uniform;
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const PyDecision& decision) {
             return std::hash<DecisionId>()(decision.id);
           })
      .def("__getstate__",
           [](const PyDecision& decision) {
             return std::tuple(decision.id, decision.arm, decision.score,
                               decision.number, decision.eligible,
                               decision.uniform);
           })
      .def(
          "__setstate__",
          [](PyDecision& self, const nb::tuple& state) {
            PyDecision decision{.id = nb::cast<DecisionId>(state[0]),
                                .arm = nb::cast<PyArm>(state[1]),
                                .score = nb::cast<double>(state[2]),
                                .number = nb::cast<ArmId>(state[3])};
            if (state.size() > 4) {  // earlier versions have four
              decision.eligible = nb::cast<std::size_t>(state[4]);
              decision.uniform = nb::cast<bool>(state[5]);
            }
            new (&self) PyDecision(std::move(decision));
          },
          nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> "
                  "None"));
}

}  // namespace manyarms::python
