#ifndef MANYARMS_SERVICE_STORE_NUMBERED_CHANGES_H_
#define MANYARMS_SERVICE_STORE_NUMBERED_CHANGES_H_

#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "service/store/all_rows.h"
#include "service/store/store.h"

/// For tests: changes that depend on their number alone, so that whoever finds
/// them in a store knows what they have to be.
namespace manyarms::service {

/// The change with this number is a bandit; slates and rewards follow.
inline Change NumberedChange(Sequence number) {
  if (number == 1) {
    return BanditCreated{.bandit = 1, .name = "one", .settings = "{}"};
  }
  const std::string learner = fmt::format("learner {}", number % 5);
  if (number % 3 == 0) {
    return RewardRow{.sequence = number,
                     .bandit = 1,
                     .kind = RewardKind::kLearned,
                     .decision = number - 1,
                     .learner = learner,
                     .reward = static_cast<double>(number) / 7,
                     .time = static_cast<double>(number)};
  }
  DecisionsMade made;
  const auto slate = static_cast<std::uint32_t>(number % 4 + 1);
  for (std::uint32_t rank = 0; rank < slate; ++rank) {
    DecisionRow row;
    row.sequence = number + rank;
    row.bandit = 1;
    row.learner = learner;
    row.number = number;
    row.rank = rank;
    row.slate = slate;
    row.arm = number * 10 + rank;
    row.features = {static_cast<float>(number), static_cast<float>(rank)};
    row.time = static_cast<double>(number);
    made.decisions.push_back(std::move(row));
  }
  return made;
}

/// The number of the change after it.
inline Sequence NumberAfter(Sequence number) {
  const Change change = NumberedChange(number);
  const auto* made = std::get_if<DecisionsMade>(&change);
  return number + (made == nullptr ? 1 : made->decisions.size());
}

inline Sequence NumberOf(const Store::Event& event) {
  if (const auto* made = std::get_if<DecisionsMade>(&event)) {
    return made->decisions.front().sequence;
  }
  return std::get<RewardRow>(event).sequence;
}

/// What is wrong with a store in which there should be nothing but numbered
/// changes, from 1 on, each once, up to one that is not less than `least`.
/// Numbers may be left out where a process was killed.
inline std::string WrongWithNumbered(Store& store, Sequence least) {
  const Sequence last = store.last_appended();
  if (last == 0) return least == 0 ? "" : "there is nothing";
  Sequence next = 2;
  std::string wrong;
  store.ReadEvents(1, 0, [&](Store::Event&& event) {
    if (!wrong.empty()) return;
    std::vector<std::string> found;
    std::vector<std::string> expected;
    const Sequence number = NumberOf(event);
    if (number > next && (number - next) % kNumbersLeftOut == 0) next = number;
    const Change change = NumberedChange(next);
    if (const auto* made = std::get_if<DecisionsMade>(&event)) {
      AddSlate(made->decisions, found);
    } else {
      found.push_back(Line(std::get<RewardRow>(event)));
    }
    if (const auto* made = std::get_if<DecisionsMade>(&change)) {
      AddSlate(made->decisions, expected);
    } else {
      expected.push_back(Line(std::get<RewardRow>(change)));
    }
    if (found != expected) {
      wrong = fmt::format("found: {}\nexpected: {}", found, expected);
    }
    next = NumberAfter(next);
  });
  if (!wrong.empty()) return wrong;
  if (next > last + 1 || (last + 1 - next) % kNumbersLeftOut != 0) {
    return fmt::format("changes from {} to {} are missing", next, last);
  }
  if (next <= least) {
    return fmt::format("the last change is {}, expected {}", next - 1, least);
  }
  return wrong;
}

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_NUMBERED_CHANGES_H_
