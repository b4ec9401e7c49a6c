#include "prior.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "manyarms/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace manyarms::python {
namespace {

// All values, row after row, as doubles.
std::vector<double> ParseValues(nb::handle values, const char* name,
                                std::size_t dimensions) {
  using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
  const nb::module_ numpy = nb::module_::import_("numpy");
  Values array;
  bool are_numbers =
      !nb::cast<bool>(numpy.attr("ma").attr("isMaskedArray")(values));
  try {
    const nb::object given = numpy.attr("asarray")(values);
    const auto kind = nb::cast<std::string>(given.attr("dtype").attr("kind"));
    are_numbers =
        are_numbers && std::string("iuf").find(kind) != std::string::npos;
    if (are_numbers) {
      array = nb::cast<Values>(
          numpy.attr("ascontiguousarray")(given, "dtype"_a = "float64"));
    }
  } catch (const nb::python_error&) {
    are_numbers = false;
  }
  if (!are_numbers || array.ndim() != dimensions) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} of a prior must be numbers in {}, none of them "
                            "missing",
                            name,
                            dimensions == 1 ? "one row"
                                            : "rows as long as "
                                              "the mean"));
  }
  return {array.data(), array.data() + array.size()};
}

}  // namespace

std::optional<GaussianPrior> MakeBanditPrior(
    const std::optional<PyPrior>& prior) {
  if (!prior) return std::nullopt;
  const PopulationPrior made = MakePrior(*prior);
  if (std::holds_alternative<SharedPrior>(made)) {
    throw Error(ErrorCode::kInvalidArgument,
                "a Bandit is one learner and cannot share a prior; use "
                "Population, or Prior(mean, precision)");
  }
  const auto* given = std::get_if<GaussianPrior>(&made);
  return given != nullptr ? std::optional(*given) : std::nullopt;
}

PopulationPrior MakePrior(const PyPrior& prior) {
  if (const auto* given = std::get_if<GaussianPrior>(&prior)) return *given;
  if (const auto* shared = std::get_if<SharedPrior>(&prior)) return *shared;
  const auto& name = std::get<std::string>(prior);
  if (name == "independent") return IndependentPrior{};
  if (name == "shared") return SharedPrior{};
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there is no prior '{}', only 'independent', "
                          "'shared', and objects Prior(mean, precision) and "
                          "SharedPrior(...)",
                          name));
}

void BindPriors(nb::module_& module) {
  nb::class_<GaussianPrior>(
      module, "Prior",
      R"(What is known of the coefficients before the first reward: a normal distribution.

The precision is that of the coefficients times the variance of the noise in
rewards: a precision of 5 times the identity counts as much as five rewards
along each direction. regularisation=r is mean 0 and r times the identity.)")
      .def(
          "__init__",
          [](GaussianPrior* self, nb::handle mean, nb::handle precision) {
            GaussianPrior prior{
                .mean = ParseValues(mean, "the mean", 1),
                .precision = ParseValues(precision, "the precision", 2)};
            const std::size_t n = prior.mean.size();
            if (prior.precision.size() != n * n) {
              throw Error(ErrorCode::kInvalidArgument,
                          fmt::format("the precision of a prior has {} values, "
                                      "must have {} x {}, because the mean has "
                                      "{}",
                                      prior.precision.size(), n, n, n));
            }
            new (self) GaussianPrior(std::move(prior));
          },
          "mean"_a, "precision"_a,
          nb::sig("def __init__(self, mean: Row, precision: Features) -> "
                  "None"),
          R"(A prior over n coefficients, which are dim, or with contexts those of
Bandit.mean.ravel().

mean: n values.
precision: n rows of n values, symmetric and positive definite.)")
      .def_prop_ro(
          "mean", [](const GaussianPrior& self) { return Array(self.mean); },
          nb::for_getter(
              nb::sig("def mean(self) -> numpy.typing.NDArray[numpy.float64]")),
          "The n expected coefficients.")
      .def_prop_ro(
          "precision",
          [](const GaussianPrior& self) {
            return Array(self.precision, self.mean.size());
          },
          nb::for_getter(nb::sig(
              "def precision(self) -> numpy.typing.NDArray[numpy.float64]")),
          "The inverse of their covariance, in units of the noise.")
      .def("__eq__",
           [](const GaussianPrior& self, nb::handle other) {
             return nb::isinstance<GaussianPrior>(other) &&
                    self == nb::cast<const GaussianPrior&>(other);
           })
      .def("__hash__",
           [](nb::handle self) {
             return nb::hash(
                 nb::make_tuple(self.attr("mean").attr("tobytes")(),
                                self.attr("precision").attr("tobytes")()));
           })
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(
                self.type(),
                nb::make_tuple(self.attr("mean"), self.attr("precision")));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def("__repr__", [](const GaussianPrior& self) {
        return fmt::format("<manyarms.Prior of {} coefficients>",
                           self.mean.size());
      });
  nb::class_<SharedPrior>(
      module, "SharedPrior",
      "A prior that is learned from all learners of a population, so that a "
      "new one begins with what the others have taught. A learner keeps the "
      "prior that it has at its first reward.")
      .def(
          "__init__",
          [](SharedPrior* self, double refit_growth) {
            new (self) SharedPrior{.refit_growth = refit_growth};
          },
          nb::kw_only(), "refit_growth"_a = SharedPrior().refit_growth,
          "refit_growth: the prior is learned anew whenever the rewards have "
          "become more by\n    this share; 0: only by "
          "Population.learn_prior().")
      .def_ro("refit_growth", &SharedPrior::refit_growth,
              "By which share rewards become more until the prior is learned "
              "anew.")
      .def("__eq__",
           [](const SharedPrior& self, nb::handle other) {
             return nb::isinstance<SharedPrior>(other) &&
                    self == nb::cast<const SharedPrior&>(other);
           })
      .def("__hash__",
           [](const SharedPrior& self) {
             return std::hash<double>()(self.refit_growth);
           })
      .def(
          "__reduce__",
          [](nb::handle self) {
            const nb::object make =
                nb::module_::import_("functools")
                    .attr("partial")(self.type(), "refit_growth"_a = self.attr(
                                                      "refit_growth"));
            return nb::make_tuple(make, nb::make_tuple());
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def("__repr__", [](const SharedPrior& self) {
        return fmt::format("SharedPrior(refit_growth={})", self.refit_growth);
      });
}

}  // namespace manyarms::python
