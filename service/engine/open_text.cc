#include "service/engine/open_text.h"

#include "log/json_scanner.h"
#include "log/json_text.h"
#include "manyarms/error.h"

namespace manyarms::service {
namespace {

void Append(const SavedOpen::One& one, std::string& text) {
  const OpenDecision& decision = one.decision;
  text += "{\"decision\":";
  AppendJson(decision.sequence, text);
  text += ",\"number\":";
  AppendJson(decision.number, text);
  text += ",\"time\":";
  AppendJson(decision.time, text);
  text += ",\"chooser\":";
  AppendJson(static_cast<std::uint64_t>(decision.chooser), text);
  text += ",\"active\":";
  AppendJson(decision.active, text);
  if (one.parts) {
    text += ",\"first\":";
    AppendJson(one.parts->first, text);
    text += ",\"sum\":";
    AppendJson(one.parts->sum, text);
    text += ",\"last\":";
    AppendJson(one.parts->last, text);
  }
  text += '}';
}

Chooser ChooserOf(std::uint64_t number) {
  if (number > static_cast<std::uint64_t>(Chooser::kCaller)) {
    throw Error(ErrorCode::kCorrupt, "a decision has no such chooser");
  }
  return static_cast<Chooser>(number);
}

SavedOpen::One ParseOne(JsonScanner& scanner) {
  SavedOpen::One one;
  OpenDecision& decision = one.decision;
  RewardParts parts;
  scanner.Object([&](std::string_view key) {
    if (key == "decision") {
      decision.sequence = scanner.Count();
    } else if (key == "number") {
      decision.number = scanner.Count();
    } else if (key == "time") {
      decision.time = scanner.Number();
    } else if (key == "chooser") {
      decision.chooser = ChooserOf(scanner.Count());
    } else if (key == "active") {
      decision.active = scanner.Truth();
    } else if (key == "first") {
      parts.first = scanner.Number();
    } else if (key == "sum") {
      parts.sum = scanner.Number();
      one.parts = parts;
    } else if (key == "last") {
      parts.last = scanner.Number();
    } else {
      scanner.Fail("no such field");
    }
  });
  if (one.parts) one.parts = parts;
  return one;
}

}  // namespace

std::string ToText(const SavedOpen& open) {
  std::string text;
  if (open.decisions.empty()) return text;
  text += "{\"id\":";
  AppendJson(std::uint64_t{open.id_bits}, text);
  text += ",\"decisions\":[";
  bool is_first = true;
  for (const SavedOpen::One& one : open.decisions) {
    if (!is_first) text += ',';
    is_first = false;
    Append(one, text);
  }
  text += "]}";
  return text;
}

SavedOpen ParseOpen(std::string_view text) {
  SavedOpen open;
  if (text.empty()) return open;
  JsonScanner scanner(text);
  scanner.Object([&](std::string_view key) {
    if (key == "id") {
      open.id_bits = scanner.Count();
    } else if (key == "decisions") {
      scanner.Array([&] { open.decisions.push_back(ParseOne(scanner)); });
    } else {
      scanner.Fail("no such field");
    }
  });
  scanner.End();
  return open;
}

}  // namespace manyarms::service
