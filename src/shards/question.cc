#include "shards/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "manyarms/error.h"
#include "shards/message.h"

namespace manyarms {
namespace {

constexpr MagicWord kMagic = {'M', 'A', 'Q', 'U', 'E', 'S', 'T', 'N'};

// Far beyond what the bounds on rewards, exploration and regularisation allow,
// and low enough that scores and bounds of arms stay finite in float.
constexpr double kMostCoefficient = 1e20;
constexpr double kMostWidth = 1e8;

void CheckWithinMost(const double* values, Eigen::Index count, double most) {
  CheckSaved(
      std::all_of(values, values + count,
                  [most](double value) { return std::abs(value) <= most; }),
      "it has a value that no posterior has");
}

bool SameBits(const double* one, const double* other, Eigen::Index count) {
  return std::memcmp(one, other,
                     static_cast<std::size_t>(count) * sizeof(double)) == 0;
}

}  // namespace

void WriteCoefficients(ByteWriter& writer, const Eigen::VectorXd& values) {
  writer.Values(
      std::span(values.data(), static_cast<std::size_t>(values.size())));
}

Eigen::VectorXd ReadCoefficients(ByteReader& reader, std::size_t dim) {
  CheckSaved(reader.left() / sizeof(double) >= dim, "it ends too early");
  Eigen::VectorXd values(static_cast<Eigen::Index>(dim));
  reader.Values(std::span(values.data(), dim));
  CheckWithinMost(values.data(), values.size(), kMostCoefficient);
  return values;
}

Question Question::Of(std::uint64_t number, Objective objective,
                      const Query& query) {
  Question question{.number = number,
                    .objective = objective,
                    .exploration = query.exploration,
                    .version = query.belief->version(),
                    .widest_width = query.belief->WidestWidth(),
                    .direction = *query.direction,
                    .factor = {}};
  if (objective != Objective::kInnerProduct) question.factor = *query.factor;
  return question;
}

bool Question::Asks(const Query& query) const {
  return version == query.belief->version() &&
         SameBits(&exploration, &query.exploration, 1) &&
         SameBits(direction.data(), query.direction->data(),
                  direction.size()) &&
         (objective == Objective::kInnerProduct ||
          SameBits(factor.data(), query.factor->data(), factor.size()));
}

void Question::Write(ByteWriter& writer) const {
  writer.Transfer(number);
  writer.Transfer(static_cast<std::uint8_t>(objective));
  writer.Transfer(exploration);
  writer.Transfer(version);
  writer.Transfer(widest_width);
  writer.Transfer(static_cast<std::uint64_t>(direction.size()));
  WriteCoefficients(writer, direction);
  writer.Transfer(factor.size() > 0);
  for (Eigen::Index i = 0; i < factor.rows(); ++i) {
    writer.Values(
        std::span(factor.row(i).data(), static_cast<std::size_t>(i) + 1));
  }
}

Question Question::Read(ByteReader& reader, Objective objective,
                        std::size_t dim) {
  Question question;
  reader.Transfer(question.number);
  const auto asked = reader.Next<std::uint8_t>();
  reader.Transfer(question.exploration);
  reader.Transfer(question.version);
  reader.Transfer(question.widest_width);
  CheckWithinMost(&question.exploration, 1, kMostCoefficient);
  CheckWithinMost(&question.widest_width, 1, kMostWidth);
  const auto size = reader.Next<std::uint64_t>();
  if (asked != static_cast<std::uint8_t>(objective) || size != dim) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("this is a question of objective {} about arms of "
                            "{} values, it must be of objective {} about {}: "
                            "learner and shard must have the same options",
                            asked, size, static_cast<int>(objective), dim));
  }
  question.objective = objective;
  question.direction = ReadCoefficients(reader, dim);
  bool has_factor = false;
  reader.Transfer(has_factor);
  CheckSaved(has_factor || objective == Objective::kInnerProduct,
             "it has no factor");
  if (!has_factor) return question;
  CheckSaved(reader.left() / sizeof(double) >= dim * (dim + 1) / 2,
             "it ends too early");
  const auto rows = static_cast<Eigen::Index>(dim);
  question.factor = RowMatrix::Zero(rows, rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    reader.Values(std::span(question.factor.row(i).data(),
                            static_cast<std::size_t>(i) + 1));
  }
  CheckWithinMost(question.factor.data(), question.factor.size(), kMostWidth);
  CheckSaved((question.factor.diagonal().cast<float>().array() > 0).all(),
             "its factor is singular");
  return question;
}

std::string Question::Bytes() const {
  return WriteMessage(kMagic, [this](ByteWriter& writer) { Write(writer); });
}

Question Question::From(std::string_view bytes, Objective objective,
                        std::size_t dim) {
  Question question;
  ReadMessage(bytes, kMagic, [&](ByteReader& reader) {
    question = Read(reader, objective, dim);
  });
  return question;
}

Query SentBelief::query() const {
  return {.belief = this,
          .direction = &question_.direction,
          .factor = question_.factor.size() > 0 ? &question_.factor : nullptr,
          .exploration = question_.exploration};
}

}  // namespace manyarms
