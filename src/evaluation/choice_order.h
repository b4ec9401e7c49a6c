#ifndef MANYARMS_EVALUATION_CHOICE_ORDER_H_
#define MANYARMS_EVALUATION_CHOICE_ORDER_H_

#include <algorithm>
#include <span>
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
  const auto line_of = [](const LoggedChoice* choice) { return choice->line; };
  if (std::ranges::find(order, 0, line_of) == order.end()) {
    std::ranges::stable_sort(order, {}, line_of);
  }
  return order;
}

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_CHOICE_ORDER_H_
