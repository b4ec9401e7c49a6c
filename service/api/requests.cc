#include "service/api/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "manyarms/error.h"
#include "service/api/json_input.h"

namespace manyarms::service {
namespace {

using Name = std::string_view;

[[noreturn]] void FailInvalid(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

// Reads a body that is one object.
template <class Value>
Value Whole(std::string_view body, void (*read)(JsonInput&, Value&)) {
  JsonInput input(body);
  Value value;
  JsonInput::Strictly(body, [&] {
    read(input, value);
    input.End();
  });
  return value;
}

std::vector<ArmName> ReadArmNames(JsonInput& input) {
  std::vector<ArmName> arms;
  input.Array([&] { arms.push_back(input.Arm()); });
  return arms;
}

// Of a choice or a prediction.
std::vector<ArmName> ReadSomeArmNames(JsonInput& input) {
  std::vector<ArmName> arms;
  input.Array([&] {
    if (arms.size() == kMostArmsNamed) {
      FailInvalid(
          fmt::format("arms has more than {} elements; tags can stand "
                      "for any number of arms",
                      kMostArmsNamed));
    }
    arms.push_back(input.Arm());
  });
  return arms;
}

void ReadEligibleArms(JsonInput& input, ChoiceRequest& choice) {
  choice.arms = ReadSomeArmNames(input);
  if (choice.arms.empty()) {
    throw Error(ErrorCode::kNoArms, "arms is empty: there is no eligible arm");
  }
}

void ReadTags(JsonInput& input, ChoiceRequest& choice) {
  input.Text(choice.tags);
  if (choice.tags.empty()) input.Refuse("\"\"", "an expression of tags");
}

void ReadSlate(JsonInput& input, ChoiceRequest& choice) {
  choice.count = input.Count();
  choice.slate = true;
  if (choice.count == 0) input.Refuse("0", "a whole number from 1 on");
}

void ReadChoice(JsonInput& input, ChoiceRequest& choice) {
  constexpr std::array<Name, 8> kNames{"learner", "context", "count",
                                       "arms",    "tags",    "event",
                                       "active",  "own_arm"};
  input.Object(kNames, [&](std::size_t field) {
    switch (field) {
      case 0:
        return input.TextOrNumber(choice.learner);
      case 1:
        return input.Floats(choice.context);
      case 2:
        return ReadSlate(input, choice);
      case 3:
        return ReadEligibleArms(input, choice);
      case 4:
        return ReadTags(input, choice);
      case 5:
        return input.Text(choice.event);
      case 6:
        choice.active = input.Truth();
        return;
      default:
        choice.own_arm = input.Arm();
    }
  });
  if (!choice.arms.empty() && !choice.tags.empty()) {
    FailInvalid("arms and tags both say which arms are eligible: give one");
  }
}

void ReadDecision(JsonInput& input, Sequence& decision) {
  decision = input.Count();
  if (decision == 0) input.Refuse("0", "the number of a decision, from 1 on");
}

void CheckReference(Sequence decision, const std::string& event) {
  if (decision != 0 && !event.empty()) {
    FailInvalid("decision and event both say which decision it is: give one");
  }
  if (decision == 0 && event.empty()) {
    FailInvalid("decision is missing, or event in its place");
  }
}

void ReadReward(JsonInput& input, RewardRequest& reward) {
  constexpr std::array<Name, 4> kNames{"decision", "event", "reward", "id"};
  bool given = false;
  input.Object(kNames, [&](std::size_t field) {
    switch (field) {
      case 0:
        return ReadDecision(input, reward.decision);
      case 1:
        return input.Text(reward.event);
      case 2:
        reward.reward = input.Number();
        given = true;
        return;
      default:
        input.Text(reward.id);
    }
  });
  CheckReference(reward.decision, reward.event);
  if (!given) FailInvalid("reward is missing");
}

void ReadReference(JsonInput& input, DecisionReference& reference) {
  constexpr std::array<Name, 2> kNames{"decision", "event"};
  input.Object(kNames, [&](std::size_t field) {
    if (field == 0) {
      ReadDecision(input, reference.decision);
    } else {
      input.Text(reference.event);
    }
  });
  CheckReference(reference.decision, reference.event);
}

void ReadObservation(JsonInput& input, Observation& observation) {
  constexpr std::array<Name, 6> kNames{"learner", "arm",    "features",
                                       "context", "reward", "id"};
  bool given = false;
  bool has_features = false;
  input.Object(kNames, [&](std::size_t field) {
    switch (field) {
      case 0:
        return input.TextOrNumber(observation.learner);
      case 1:
        observation.arm = input.Arm();
        return;
      case 2:
        has_features = true;
        return input.Floats(observation.features);
      case 3:
        return input.Floats(observation.context);
      case 5:
        return input.Text(observation.id);
      default:
        observation.reward = input.Number();
        given = true;
    }
  });
  if (!given) FailInvalid("reward is missing");
  if (observation.arm.has_value() == has_features) {
    FailInvalid("arm or features must be given, one of them");
  }
}

void ReadPrediction(JsonInput& input, PredictionRequest& request) {
  constexpr std::array<Name, 5> kNames{"learner", "context", "arms", "best",
                                       "rows"};
  int ways = 0;
  input.Object(kNames, [&](std::size_t field) {
    if (field >= 2) ++ways;
    switch (field) {
      case 0:
        return input.TextOrNumber(request.learner);
      case 1:
        return input.Floats(request.context);
      case 2:
        request.arms = ReadSomeArmNames(input);
        if (request.arms.empty()) FailInvalid("arms is empty");
        return;
      case 3:
        request.best = input.Count();
        if (request.best == 0) input.Refuse("0", "a whole number from 1 on");
        return;
      default:
        request.rows.emplace();
        input.Array([&] { input.Floats(request.rows->emplace_back()); });
    }
  });
  if (ways != 1) FailInvalid("arms, best or rows must be given, one of them");
}

void ReadTagsOfArm(JsonInput& input, ArmInfo& arm) {
  input.Array([&] { input.Text(arm.tags.emplace_back()); });
}

void ReadArm(JsonInput& input, ArmInfo& arm) {
  constexpr std::array<Name, 3> kNames{"arm", "features", "tags"};
  bool named = false;
  bool has_features = false;
  input.Object(kNames, [&](std::size_t field) {
    if (field == 0) {
      arm.arm = input.Arm();
      named = true;
    } else if (field == 1) {
      input.Floats(arm.features);
      has_features = true;
    } else {
      ReadTagsOfArm(input, arm);
    }
  });
  if (!named) FailInvalid("arm is missing");
  if (!has_features) FailInvalid("features is missing");
}

// Reads {"<name>":[...]}: element(input) reads each element.
template <class Read>
void ReadList(std::string_view body, std::string_view name, const Read& read) {
  const std::array<Name, 1> names{name};
  bool given = false;
  JsonInput input(body);
  JsonInput::Strictly(body, [&] {
    input.Object(names, [&](std::size_t) {
      given = true;
      read(input);
    });
    input.End();
    if (!given) FailInvalid(fmt::format("{} is missing", name));
  });
}

template <class Request>
Batch<Request> ParseBatch(std::string_view body, std::string_view name,
                          std::size_t most,
                          void (*read)(JsonInput&, Request&)) {
  Batch<Request> batch;
  ReadList(body, name, [&](JsonInput& input) {
    input.Array([&] {
      if (batch.size() == most) {
        throw HttpError(
            413, fmt::format("{} has more than {} elements", name, most));
      }
      const JsonInput before = input;
      try {
        Request request;
        read(input, request);
        batch.emplace_back(std::move(request));
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kCorrupt) throw;
        batch.emplace_back(FailureOf(std::current_exception()));
        input = before;
        input.Skip();
      }
    });
  });
  return batch;
}

}  // namespace

ChoiceRequest ParseChoice(std::string_view body) {
  return Whole<ChoiceRequest>(body, ReadChoice);
}

RewardRequest ParseReward(std::string_view body) {
  return Whole<RewardRequest>(body, ReadReward);
}

Batch<ChoiceRequest> ParseChoices(std::string_view body, std::size_t most) {
  return ParseBatch<ChoiceRequest>(body, "choices", most, ReadChoice);
}

Batch<RewardRequest> ParseRewards(std::string_view body, std::size_t most) {
  return ParseBatch<RewardRequest>(body, "rewards", most, ReadReward);
}

DecisionReference ParseDecisionReference(std::string_view body) {
  return Whole<DecisionReference>(body, ReadReference);
}

Observation ParseObservation(std::string_view body) {
  return Whole<Observation>(body, ReadObservation);
}

PredictionRequest ParsePrediction(std::string_view body) {
  return Whole<PredictionRequest>(body, ReadPrediction);
}

ArmInfo ParseArm(std::string_view line) {
  JsonInput input(line, "the arm");
  ArmInfo arm;
  JsonInput::Strictly(line, [&] {
    ReadArm(input, arm);
    input.End();
  });
  return arm;
}

ArmInfo ParseArmOf(ArmName name, std::string_view body) {
  constexpr std::array<Name, 2> kNames{"features", "tags"};
  ArmInfo arm{.arm = std::move(name)};
  bool has_features = false;
  JsonInput input(body);
  JsonInput::Strictly(body, [&] {
    input.Object(kNames, [&](std::size_t field) {
      if (field == 0) {
        input.Floats(arm.features);
        has_features = true;
      } else {
        ReadTagsOfArm(input, arm);
      }
    });
    input.End();
    if (!has_features) FailInvalid("features is missing");
  });
  return arm;
}

std::vector<ArmInfo> ParseArms(std::string_view body) {
  std::vector<ArmInfo> arms;
  ReadList(body, "arms", [&](JsonInput& input) {
    input.Array([&] {
      try {
        ReadArm(input, arms.emplace_back());
      } catch (const Error& error) {
        throw Error(error.code(),
                    fmt::format("arms[{}]: {}", arms.size() - 1, error.what()));
      }
    });
  });
  return arms;
}

std::vector<ArmName> ParseArmNames(std::string_view body) {
  std::vector<ArmName> arms;
  ReadList(body, "arms", [&](JsonInput& input) { arms = ReadArmNames(input); });
  return arms;
}

std::string ParseBackup(std::string_view body) {
  constexpr std::size_t kMostName = 128;
  std::string file;
  ReadList(body, "file", [&](JsonInput& input) {
    input.Text(file);
    const bool plain = std::ranges::all_of(file, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    });
    // The database takes files with these endings for its own.
    const bool own = file.ends_with("-wal") || file.ends_with("-shm") ||
                     file.ends_with("-journal");
    if (!plain || own || file.empty() || file.size() > kMostName ||
        file.front() == '.' || file.front() == '-') {
      input.Refuse(fmt::format("\"{}\"", file),
                   "the name of a file, 1 to 128 of a-z, A-Z, 0-9, '.', '_' "
                   "and '-', which begins with neither '.' nor '-' and does "
                   "not end with -wal, -shm or -journal");
    }
  });
  return file;
}

}  // namespace manyarms::service
