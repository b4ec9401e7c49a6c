#include "log/event_text.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "log/json_text.h"
#include "manyarms/context.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

void CheckFinite(const char* name, double value) {
  if (!std::isfinite(value)) {
    Refuse(fmt::format("{} is {}, must be finite", name, value));
  }
}

void CheckText(const char* what, std::string_view text) {
  const std::size_t valid = Utf8PrefixLength(text);
  if (valid != text.size()) {
    Refuse(fmt::format("{} is not UTF-8 after {} bytes", what, valid));
  }
}

// Checks events against the header of their log.
class Checker {
 public:
  explicit Checker(const LogHeader& header) : header_(header) {}

  void operator()(const LoggedDecision& event) const {
    CheckLearner(event.learner);
    CheckArm(event.arm);
    CheckFeatures(event.features, header_.dim);
    CheckContext(event.context);
    CheckFinite("score", event.score);
    CheckText("policy", event.policy);
    CheckTime(event.time);
    if (event.probability && !(*event.probability > 0)) {
      Refuse(fmt::format("probability is {}, must be above 0",
                         *event.probability));
    }
    if (event.probability) {
      CheckWithin("probability", *event.probability, 0, 1);
    }
  }
  void operator()(const LoggedReward& event) const {
    CheckLearner(event.learner);
    CheckReward(event.reward, header_.rewards);
    CheckTime(event.time);
  }
  void operator()(const LoggedObservation& event) const {
    CheckLearner(event.learner);
    if (event.arm) CheckArm(*event.arm);
    CheckFeatures(event.features, header_.dim);
    CheckContext(event.context);
    CheckReward(event.reward, header_.rewards);
    CheckTime(event.time);
  }
  void operator()(const LoggedArmChange& event) const {
    CheckArm(event.arm);
    if (!event.removed) CheckFeatures(event.features, header_.dim);
    CheckTime(event.time);
  }

 private:
  void CheckLearner(const std::optional<LearnerKey>& learner) const {
    if (learner.has_value() == header_.population) return;
    Refuse(header_.population ? "no learner is given, and the log is one of a "
                                "population"
                              : "a learner is given, and the log is one of a "
                                "single bandit");
  }
  static void CheckArm(const LoggedArm& arm) {
    const auto* name = std::get_if<std::string>(&arm);
    if (name != nullptr) CheckText("an arm's name", *name);
  }
  void CheckContext(std::span<const float> context) const {
    if (context.size() != header_.context_dim) {
      Refuse(fmt::format("the context has {} values, must have {}",
                         context.size(), header_.context_dim));
    }
    for (std::size_t i = 0; i < context.size(); ++i) {
      if (!(std::abs(context[i]) <= kMaxContextValue)) {
        Refuse(fmt::format(
            "value {} of the context is {}, must be finite and at most {:g} in "
            "magnitude",
            i, context[i], kMaxContextValue));
      }
    }
  }
  static void CheckTime(const std::optional<double>& time) {
    if (time) CheckFinite("time", *time);
  }

  const LogHeader& header_;
};

// Writes the fields of events.
class Appender {
 public:
  explicit Appender(std::string& line) : line_(line) {}

  void operator()(const LoggedDecision& event) {
    Begin("decision");
    Put(EventField::kId, event.id);
    Learner(event.learner);
    Arm(event.arm);
    Features(event.features);
    Context(event.context);
    Put(EventField::kScore, event.score);
    if (event.eligible > 0) Put(EventField::kEligible, event.eligible);
    if (event.uniform) Put(EventField::kUniform, true);
    if (event.probability) Put(EventField::kProbability, *event.probability);
    if (!event.policy.empty()) {
      Put(EventField::kPolicy, std::string_view(event.policy));
    }
    End(event.time);
  }
  void operator()(const LoggedReward& event) {
    Begin("reward");
    Put(EventField::kDecision, event.decision);
    Learner(event.learner);
    Put(EventField::kReward, event.reward);
    End(event.time);
  }
  void operator()(const LoggedObservation& event) {
    Begin("observation");
    Learner(event.learner);
    if (event.arm) Arm(*event.arm);
    Features(event.features);
    Context(event.context);
    Put(EventField::kReward, event.reward);
    End(event.time);
  }
  void operator()(const LoggedArmChange& event) {
    Begin(event.removed ? "arm removed" : "arm");
    Arm(event.arm);
    if (!event.removed) Features(event.features);
    End(event.time);
  }

 private:
  void Begin(std::string_view event) {
    line_ += R"({"event":")";
    line_ += event;
    line_ += '"';
  }
  void End(const std::optional<double>& time) {
    if (time) Put(EventField::kTime, *time);
    line_ += '}';
  }
  template <class Value>
  void Put(EventField field, const Value& value) {
    line_ += ",\"";
    line_ += kEventFieldNames[static_cast<std::size_t>(field)];
    line_ += "\":";
    AppendJson(value, line_);
  }
  void Learner(const std::optional<LearnerKey>& learner) {
    if (!learner) return;
    if (learner->is_number()) {
      Put(EventField::kLearner, learner->number());
    } else {
      Put(EventField::kLearner, std::string_view(learner->text()));
    }
  }
  void Arm(const LoggedArm& arm) {
    if (const auto* id = std::get_if<ArmId>(&arm)) {
      Put(EventField::kArm, *id);
    } else {
      Put(EventField::kArm, std::string_view(std::get<std::string>(arm)));
    }
  }
  void Features(std::span<const float> features) {
    Put(EventField::kFeatures, features);
  }
  void Context(std::span<const float> context) {
    if (!context.empty()) Put(EventField::kContext, context);
  }

  std::string& line_;
};

template <class Event>
Event& Become(LogEvent& event) {
  if (!std::holds_alternative<Event>(event)) event.emplace<Event>();
  return std::get<Event>(event);
}

std::optional<LearnerKey> TakeLearner(const EventFields& fields) {
  if (!fields.Has(EventField::kLearner)) return std::nullopt;
  return std::visit([](const auto& key) { return LearnerKey(key); },
                    fields.learner);
}

std::optional<double> TakeTime(const EventFields& fields) {
  if (!fields.Has(EventField::kTime)) return std::nullopt;
  return fields.time;
}

void TakeFeatures(EventFields& fields, std::vector<float>& features) {
  fields.Require(EventField::kFeatures);
  std::swap(features, fields.features);
}

void TakeContext(EventFields& fields, std::vector<float>& context) {
  if (!fields.Has(EventField::kContext)) fields.context.clear();
  std::swap(context, fields.context);
}

void Take(EventFields& fields, LoggedDecision& event) {
  fields.Require(EventField::kId);
  fields.Require(EventField::kArm);
  fields.Require(EventField::kScore);
  event.id = fields.id;
  event.learner = TakeLearner(fields);
  std::swap(event.arm, fields.arm);
  TakeFeatures(fields, event.features);
  TakeContext(fields, event.context);
  event.score = fields.score;
  event.eligible = fields.Has(EventField::kEligible) ? fields.eligible : 0;
  event.uniform = fields.Has(EventField::kUniform) && fields.uniform;
  event.probability.reset();
  if (fields.Has(EventField::kProbability)) {
    event.probability = fields.probability;
  }
  if (!fields.Has(EventField::kPolicy)) fields.policy.clear();
  std::swap(event.policy, fields.policy);
  event.time = TakeTime(fields);
}

void Take(EventFields& fields, LoggedReward& event) {
  fields.Require(EventField::kDecision);
  fields.Require(EventField::kReward);
  event.decision = fields.decision;
  event.learner = TakeLearner(fields);
  event.reward = fields.reward;
  event.time = TakeTime(fields);
}

void Take(EventFields& fields, LoggedObservation& event) {
  fields.Require(EventField::kReward);
  event.learner = TakeLearner(fields);
  event.arm.reset();
  if (fields.Has(EventField::kArm)) event.arm = std::move(fields.arm);
  TakeFeatures(fields, event.features);
  TakeContext(fields, event.context);
  event.reward = fields.reward;
  event.time = TakeTime(fields);
}

void Take(EventFields& fields, bool removed, LoggedArmChange& event) {
  fields.Require(EventField::kArm);
  std::swap(event.arm, fields.arm);
  event.removed = removed;
  if (removed) {
    event.features.clear();
  } else {
    TakeFeatures(fields, event.features);
  }
  event.time = TakeTime(fields);
}

}  // namespace

void CheckEvent(const LogEvent& event, const LogHeader& header) {
  std::visit(Checker(header), event);
}

void AppendEvent(const LogEvent& event, std::string& line) {
  std::visit(Appender(line), event);
}

void TakeEvent(EventFields& fields, LogEvent& event) {
  fields.Require(EventField::kEvent);
  if (fields.event == "decision") {
    Take(fields, Become<LoggedDecision>(event));
  } else if (fields.event == "reward") {
    Take(fields, Become<LoggedReward>(event));
  } else if (fields.event == "observation") {
    Take(fields, Become<LoggedObservation>(event));
  } else if (fields.event == "arm" || fields.event == "arm removed") {
    Take(fields, fields.event != "arm", Become<LoggedArmChange>(event));
  } else {
    throw Error(ErrorCode::kCorrupt,
                fmt::format(R"("event" is "{}", must be decision, reward, )"
                            "observation, arm or arm removed",
                            fields.event));
  }
}

}  // namespace manyarms
