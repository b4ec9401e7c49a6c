#include "log/event_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "log/json_scanner.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

void ReadNumberOrText(JsonScanner& scanner, EventFields::NumberOrText& value) {
  if (!scanner.AtText()) {
    value = scanner.Count();
    return;
  }
  if (value.index() != 1) value.emplace<std::string>();
  scanner.Text(std::get<std::string>(value));
}

void ReadField(JsonScanner& scanner, EventField field, EventFields& fields) {
  switch (field) {
    case EventField::kEvent:
      return scanner.Text(fields.event);
    case EventField::kId:
      fields.id = scanner.Count();
      return;
    case EventField::kDecision:
      fields.decision = scanner.Count();
      return;
    case EventField::kLearner:
      return ReadNumberOrText(scanner, fields.learner);
    case EventField::kArm:
      return ReadNumberOrText(scanner, fields.arm);
    case EventField::kFeatures:
      return scanner.Floats(fields.features);
    case EventField::kContext:
      return scanner.Floats(fields.context);
    case EventField::kScore:
      fields.score = scanner.Number();
      return;
    case EventField::kEligible:
      fields.eligible = scanner.Count();
      return;
    case EventField::kUniform:
      fields.uniform = scanner.Truth();
      return;
    case EventField::kProbability:
      fields.probability = scanner.Number();
      return;
    case EventField::kPolicy:
      return scanner.Text(fields.policy);
    case EventField::kReward:
      fields.reward = scanner.Number();
      return;
    case EventField::kTime:
      fields.time = scanner.Number();
      return;
  }
}

void CheckUtf8(std::string_view line) {
  const bool is_ascii = std::ranges::all_of(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (is_ascii) return;
  const std::size_t valid = Utf8PrefixLength(line);
  if (valid != line.size()) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("it is not UTF-8 after {} bytes", valid));
  }
}

}  // namespace

void EventFields::Require(EventField field) const {
  if (!Has(field)) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format(R"("{}" is missing)",
                            kEventFieldNames[static_cast<std::size_t>(field)]));
  }
}

void EventFields::Parse(std::string_view line, EventFieldSet wanted) {
  CheckUtf8(line);
  present = 0;
  JsonScanner scanner(line);
  scanner.Object([&](std::string_view key) {
    const auto* const name = std::ranges::find(kEventFieldNames, key);
    const auto field = static_cast<EventField>(name - kEventFieldNames.begin());
    if (name == kEventFieldNames.end() || (wanted & SetOf({field})) == 0 ||
        scanner.AtNull()) {
      scanner.Skip();
      return;
    }
    if (Has(field)) scanner.Fail(fmt::format(R"("{}" is there twice)", *name));
    try {
      ReadField(scanner, field, *this);
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format(R"("{}": {})", *name, error.what()));
    }
    present |= SetOf({field});
  });
  scanner.End();
}

}  // namespace manyarms
