#include "decision.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {

DecisionId ParseDecision(nb::handle decision) {
  if (nb::isinstance<PyDecision>(decision)) {
    return nb::cast<const PyDecision&>(decision).id;
  }
  return ParseNumber(decision, {"a decision", "a Decision or an int"});
}

Numbers ParseDecisions(nb::handle decisions) {
  if (PyList_Check(decisions.ptr()) || PyTuple_Check(decisions.ptr())) {
    Numbers ids;
    ids.reserve(nb::len(decisions));
    for (nb::handle decision : nb::borrow(decisions)) {
      ids.push_back(ParseDecision(decision));
    }
    return ids;
  }
  PyIds ids = ParseIds(decisions, {"decisions", "Decisions or ints"});
  if (std::holds_alternative<Texts>(ids)) {
    throw nb::type_error("decisions must be Decisions or ints, not strings");
  }
  return std::get<Numbers>(std::move(ids));
}

void BindDecision(nb::module_& module) {
  nb::class_<PyDecision>(
      module, "Decision",
      "An arm that a bandit chose, to be shown and, once its "
      "reward is known, to be learned from.")
      .def_ro("id", &PyDecision::id,
              "The decision's number, 1, 2, 3, ...; enough to learn by.")
      .def_prop_ro(
          "arm", [](const PyDecision& decision) { return decision.arm; },
          nb::for_getter(nb::sig("def arm(self) -> typing.Any")),
          "The arm's id, an int or a string as it was added.")
      .def_ro(
          "score", &PyDecision::score,
          "What the arm won by, in the rewards' units: a sampled reward "
          "(ts), an upper bound of it (ucb), an uncertainty (elim). Of single "
          "precision.")
      .def("__repr__",
           [](const PyDecision& decision) {
             return nb::str("Decision(id={}, arm={!r}, score={:.6g})")
                 .format(decision.id, decision.arm, decision.score);
           })
      .def(
          "__eq__",
          [](const PyDecision& one, nb::handle other) {
            if (!nb::isinstance<PyDecision>(other)) return false;
            const auto& two = nb::cast<const PyDecision&>(other);
            return one.id == two.id && one.arm == two.arm &&
                   one.score == two.score;
          },
          "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const PyDecision& decision) {
             return std::hash<DecisionId>()(decision.id);
           })
      .def("__getstate__",
           [](const PyDecision& decision) {
             return std::tuple(decision.id, decision.arm, decision.score,
                               decision.number);
           })
      .def("__setstate__",
           [](PyDecision& self,
              const std::tuple<DecisionId, PyArm, double, ArmId>& state) {
             const auto& [id, arm, score, number] = state;
             new (&self) PyDecision{id, arm, score, number};
           });
}

}  // namespace manyarms::python
