#include "probabilities.h"

#include "arrays.h"
#include "ids.h"

namespace nb = nanobind;

namespace manyarms::python {

std::uint64_t ParseDraws(nb::handle draws) {
  return ParseNumber(draws, {"draws", "an int"});
}

nb::object AsPair(const Probability& probability) {
  return nb::make_tuple(probability.value, probability.standard_error);
}

nb::object AsPair(const std::vector<Probability>& probabilities) {
  std::vector<double> values;
  std::vector<double> errors;
  for (const Probability& probability : probabilities) {
    values.push_back(probability.value);
    errors.push_back(probability.standard_error);
  }
  return nb::make_tuple(Array(std::move(values)), Array(std::move(errors)));
}

}  // namespace manyarms::python
