#include "service/load/answers.h"

#include "base/utf8.h"
#include "log/json_scanner.h"
#include "manyarms/error.h"

namespace manyarms::load {
namespace {

void Clear(Chosen& answer) {
  answer.decision = 0;
  answer.number.reset();
  answer.name.clear();
  answer.eligible = 0;
  answer.failed = false;
}

void Clear(Rewarded& answer) { answer = {}; }

void Parse(JsonScanner& json, Chosen& answer) {
  Clear(answer);
  json.Object([&](std::string_view key) {
    if (key == "decision") {
      answer.decision = json.Count();
    } else if (key == "arm" && json.AtText()) {
      json.Text(answer.name);
    } else if (key == "arm") {
      answer.number = json.Count();
    } else if (key == "eligible") {
      answer.eligible = json.Count();
    } else {
      answer.failed = answer.failed || key == "error";
      json.Skip();
    }
  });
}

void Parse(JsonScanner& json, Rewarded& answer) {
  Clear(answer);
  std::string reason;
  json.Object([&](std::string_view key) {
    if (key == "decision") {
      answer.decision = json.Count();
    } else if (key == "learned") {
      answer.learned = json.Truth();
    } else if (key == "reason" && json.AtText()) {
      json.Text(reason);
    } else {
      answer.failed = answer.failed || key == "error";
      json.Skip();
    }
  });
  answer.waiting = reason == "waiting";
}

template <class Answer>
void ParseAll(std::string_view body, bool several,
              std::vector<Answer>& answers) {
  if (Utf8PrefixLength(body) != body.size())
    throw Error(ErrorCode::kCorrupt, "it is not UTF-8");
  JsonScanner json(body);
  if (!several) {
    answers.resize(1);
    Parse(json, answers[0]);
    json.End();
    return;
  }
  std::size_t count = 0;
  json.Object([&](std::string_view key) {
    if (key != "results") return json.Skip();
    json.Array([&] {
      if (count == answers.size()) answers.emplace_back();
      Parse(json, answers[count++]);
    });
  });
  json.End();
  answers.resize(count);
}

}  // namespace

void ParseChosen(std::string_view body, bool several,
                 std::vector<Chosen>& answers) {
  ParseAll(body, several, answers);
}

void ParseRewarded(std::string_view body, bool several,
                   std::vector<Rewarded>& answers) {
  ParseAll(body, several, answers);
}

}  // namespace manyarms::load
