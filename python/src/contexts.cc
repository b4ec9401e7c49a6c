#include "contexts.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "manyarms/context.h"
#include "manyarms/error.h"
#include "rows.h"

namespace nb = nanobind;

namespace manyarms::python {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

// The library sees floats, so its message could not name values beyond them.
void CopyRow(const FeatureRows& given, std::size_t row, std::span<float> out,
             const std::string& whose) {
  given.Copy(row, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double value = given.At(row, i);
    if (std::isinf(out[i]) && std::isfinite(value)) {
      Refuse(fmt::format(
          "value {} of {} is {}, must be finite and at most {:g} in magnitude",
          i, whose, value, kMaxContextValue));
    }
  }
}

}  // namespace

std::vector<float> ParseContext(nb::handle context) {
  if (context.is_none()) return {};
  const PyRows parsed = ParseRows(context, 0, Rows::kOne, "context");
  std::vector<float> values(parsed.rows.columns());
  CopyRow(parsed.rows, 0, values, "the context");
  return values;
}

std::vector<float> ParseContexts(nb::handle contexts, std::size_t count,
                                 std::size_t dim) {
  if (contexts.is_none()) return {};
  const PyRows parsed = ParseRows(contexts, dim, Rows::kMany, "contexts");
  const FeatureRows& rows = parsed.rows;
  if (rows.columns() != dim) {
    Refuse(dim == 0 ? fmt::format(
                          "contexts of {} values given, but context_dim is 0",
                          rows.columns())
                    : fmt::format("contexts of {} values given, must have {}",
                                  rows.columns(), dim));
  }
  if (rows.rows() != count) {
    Refuse(fmt::format("{} contexts given, must be {}", rows.rows(), count));
  }
  std::vector<float> values(count * dim);
  for (std::size_t i = 0; i < count; ++i) {
    CopyRow(rows, i, std::span(values).subspan(i * dim, dim),
            fmt::format("context {}", i));
  }
  return values;
}

std::vector<float> ParseOneOrAll(nb::handle context, nb::handle contexts,
                                 std::size_t count, std::size_t dim) {
  if (contexts.is_none()) return ParseContext(context);
  if (!context.is_none()) {
    Refuse("context and contexts given, must be one of them");
  }
  return ParseContexts(contexts, count, dim);
}

std::string ContextText(std::size_t context_dim) {
  return context_dim > 0 ? fmt::format(" context_dim={}", context_dim) : "";
}

}  // namespace manyarms::python
