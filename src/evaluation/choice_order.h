#ifndef MANYARMS_EVALUATION_CHOICE_ORDER_H_
#define MANYARMS_EVALUATION_CHOICE_ORDER_H_

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "manyarms/logged_choice.h"

namespace manyarms {

/// The choices in the order of their lines, in which they were made. What reads
/// a log hands them out when their rewards come, so that an order of its own
/// would learn and evaluate choices selected by reward. Choices of one line
/// stay in the order given, and so do all if some have no line.
inline std::vector<const LoggedChoice*> InOrder(
    std::span<const LoggedChoice> choices) {
  std::vector<const LoggedChoice*> order;
  order.reserve(choices.size());
  for (const LoggedChoice& choice : choices) order.push_back(&choice);
  const auto has_no_line = [](const LoggedChoice& choice) {
    return choice.line == 0;
  };
  if (std::ranges::any_of(choices, has_no_line)) return order;
  // By their places where lines are the same.
  std::ranges::sort(order, {}, [](const LoggedChoice* choice) {
    return std::pair(choice->line, choice);
  });
  return order;
}

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_CHOICE_ORDER_H_
