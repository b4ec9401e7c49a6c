#include "service/store/rows.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "log/json_scanner.h"
#include "log/json_text.h"
#include "manyarms/error.h"

namespace manyarms::service {
namespace {

static_assert(std::endian::native == std::endian::little,
              "vectors are stored little-endian");

constexpr std::array<std::string_view, 7> kKinds = {
    "learned", "default", "part", "late", "activated", "dismissed", "observed"};

[[noreturn]] void FailCorrupt(const std::string& what) {
  throw Error(ErrorCode::kCorrupt, "the store is damaged: " + what);
}

RewardKind KindFrom(std::string_view text) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == text) return static_cast<RewardKind>(i);
  }
  FailCorrupt(fmt::format("a reward has the kind \"{}\"", text));
}

void BindArm(const std::optional<ArmId>& arm, sql::Statement& statement) {
  if (arm) {
    BindCount(*arm, statement);
  } else {
    statement.Null();
  }
}

void BindReal(const std::optional<double>& value, sql::Statement& statement) {
  if (value) {
    statement.Real(*value);
  } else {
    statement.Null();
  }
}

std::uint64_t CountAt(const sql::Statement& row, int column) {
  return static_cast<std::uint64_t>(row.IntegerAt(column));
}

std::string TextOrEmpty(const sql::Statement& row, int column) {
  return row.IsNull(column) ? std::string() : std::string(row.TextAt(column));
}

std::optional<ArmId> OptionalArm(const sql::Statement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return CountAt(row, column);
}

std::vector<float> FloatsAt(const sql::Statement& row, int column) {
  if (row.IsNull(column)) return {};
  const auto bytes = row.BytesAt(column);
  if (bytes.size() % sizeof(float) != 0) {
    FailCorrupt(fmt::format("a vector has {} bytes", bytes.size()));
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<std::string> TagsFrom(std::string_view text) {
  std::vector<std::string> tags;
  try {
    JsonScanner scanner(text);
    scanner.Array([&] { scanner.Text(tags.emplace_back()); });
    scanner.End();
  } catch (const Error& error) {
    FailCorrupt(fmt::format("tags of an arm: {}", error.what()));
  }
  return tags;
}

}  // namespace

std::string NotForgotten(std::string_view table) {
  return fmt::format(
      "NOT EXISTS (SELECT 1 FROM deletions AS f WHERE f.bandit = {0}.bandit "
      "AND f.learner = {0}.learner AND {0}.sequence <= f.up_to)",
      table);
}

void BindCount(std::uint64_t value, sql::Statement& statement) {
  statement.Integer(static_cast<std::int64_t>(value));
}

void BindOptional(std::string_view text, sql::Statement& statement) {
  if (text.empty()) {
    statement.Null();
  } else {
    statement.Text(text);
  }
}

void BindFloats(const std::vector<float>& values, sql::Statement& statement) {
  if (values.empty()) {
    statement.Null();
  } else {
    statement.Bytes(std::as_bytes(std::span(values)));
  }
}

std::string TagsText(const std::vector<std::string>& tags) {
  std::string text = "[";
  for (const std::string& tag : tags) {
    if (text.size() > 1) text += ',';
    AppendJson(std::string_view(tag), text);
  }
  text += ']';
  return text;
}

void BindDecision(const DecisionRow& row, sql::Statement& statement) {
  BindCount(row.sequence, statement);
  statement.Integer(row.bandit).Text(row.learner);
  BindCount(row.number, statement);
  statement.Integer(row.rank).Integer(row.slate);
  BindCount(row.arm, statement);
  BindOptional(row.arm_name, statement);
  BindFloats(row.features, statement);
  BindFloats(row.context, statement);
  statement.Real(row.score);
  BindCount(row.eligible, statement);
  statement.Integer(row.uniform ? 1 : 0);
  BindReal(row.probability, statement);
  BindArm(row.policy_arm, statement);
  BindOptional(row.policy_arm_name, statement);
  BindOptional(row.event, statement);
  statement.Integer(row.active ? 1 : 0).Real(row.time);
}

DecisionRow DecisionAt(const sql::Statement& row) {
  DecisionRow decision;
  decision.sequence = CountAt(row, 0);
  decision.bandit = row.IntegerAt(1);
  decision.learner = row.TextAt(2);
  decision.number = CountAt(row, 3);
  decision.rank = static_cast<std::uint32_t>(row.IntegerAt(4));
  decision.slate = static_cast<std::uint32_t>(row.IntegerAt(5));
  decision.arm = CountAt(row, 6);
  decision.arm_name = TextOrEmpty(row, 7);
  decision.features = FloatsAt(row, 8);
  decision.context = FloatsAt(row, 9);
  decision.score = row.RealAt(10);
  decision.eligible = CountAt(row, 11);
  decision.uniform = row.IntegerAt(12) != 0;
  if (!row.IsNull(13)) decision.probability = row.RealAt(13);
  decision.policy_arm = OptionalArm(row, 14);
  decision.policy_arm_name = TextOrEmpty(row, 15);
  decision.event = TextOrEmpty(row, 16);
  decision.active = row.IntegerAt(17) != 0;
  decision.time = row.RealAt(18);
  return decision;
}

void BindReward(const RewardRow& row, sql::Statement& statement) {
  BindCount(row.sequence, statement);
  statement.Integer(row.bandit)
      .Text(kKinds[static_cast<std::size_t>(row.kind)]);
  if (row.decision == 0) {
    statement.Null();
  } else {
    BindCount(row.decision, statement);
  }
  statement.Text(row.learner).Real(row.reward);
  BindOptional(row.id, statement);
  BindArm(row.arm, statement);
  BindOptional(row.arm_name, statement);
  BindFloats(row.features, statement);
  BindFloats(row.context, statement);
  statement.Real(row.time);
}

RewardRow RewardAt(const sql::Statement& row) {
  RewardRow reward;
  reward.sequence = CountAt(row, 0);
  reward.bandit = row.IntegerAt(1);
  reward.kind = KindFrom(row.TextAt(2));
  if (!row.IsNull(3)) reward.decision = CountAt(row, 3);
  reward.learner = row.TextAt(4);
  reward.reward = row.RealAt(5);
  reward.id = TextOrEmpty(row, 6);
  reward.arm = OptionalArm(row, 7);
  reward.arm_name = TextOrEmpty(row, 8);
  reward.features = FloatsAt(row, 9);
  reward.context = FloatsAt(row, 10);
  reward.time = row.RealAt(11);
  return reward;
}

ArmRow ArmAt(const sql::Statement& row) {
  ArmRow arm;
  arm.place = static_cast<std::uint32_t>(row.IntegerAt(0));
  arm.freed = CountAt(row, 6);
  if (row.IsNull(1)) return arm;
  arm.arm = CountAt(row, 1);
  arm.name = TextOrEmpty(row, 2);
  arm.features = FloatsAt(row, 3);
  if (!row.IsNull(4)) arm.tags = TagsFrom(row.TextAt(4));
  arm.added = CountAt(row, 5);
  return arm;
}

}  // namespace manyarms::service
