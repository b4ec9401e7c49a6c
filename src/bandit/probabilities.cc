#include "bandit/probabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "manyarms/error.h"

namespace manyarms {
namespace {

// manyarms/probability.h explains the formula.
double StandardError(std::uint64_t hits, std::uint64_t draws) {
  const auto h = static_cast<double>(hits);
  const auto m = static_cast<double>(draws);
  const double q = (h + 1) / (m + 2);
  return std::sqrt(q * (1 - q) / (m + 3));
}

}  // namespace

void CheckDraws(std::uint64_t draws) {
  CheckCount("number of draws", draws, 1, kMaxDraws);
}

AskedDecision Asked(DecisionId id, std::uint64_t number,
                    const PendingDecisions& pending, std::size_t context_dim) {
  const auto context = pending.Features(number).first(context_dim);
  return {.id = id,
          .number = number,
          .arm = pending.arm(number),
          .eligible = pending.eligible(number),
          .basis = pending.BasisOf(number),
          .context = {context.begin(), context.end()}};
}

void CheckAsked(const AskedDecision& asked, const Basis& now,
                std::size_t eligible, Context given) {
  if (asked.basis != now) {
    throw Error(ErrorCode::kOutdated,
                fmt::format("what is known, or the arms, may have changed "
                            "since decision {} was made, so its probability "
                            "must be asked for before",
                            asked.id));
  }
  if (asked.eligible == 0) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("decision {} is one of a slate, but not the first: "
                            "only the first is the best arm of a draw, which "
                            "has a probability here",
                            asked.id));
  }
  if (eligible != asked.eligible) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} arms are eligible, must be the same {} among "
                            "which decision {} was made",
                            eligible, asked.eligible, asked.id));
  }
  if (!given.empty() && !std::ranges::equal(given, asked.context)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the context is not that of decision {}, which "
                            "keeps its own and need not be given one",
                            asked.id));
  }
}

void CheckChosenAmong(DecisionId decision, Slot chosen, const ArmSet* among) {
  if (among == nullptr || among->Contains(chosen)) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("the arm of decision {} is not among the eligible "
                          "ones, which must be those among which it was made",
                          decision));
}

std::vector<Probability> ProbabilitiesOf(
    const ChoiceMix& mix, std::span<const Slot> arms,
    const std::function<Wins()>& count_wins) {
  const double uniform = mix.uniform_share / static_cast<double>(mix.eligible);
  const double by_policy = 1 - mix.uniform_share;
  Wins wins;
  if (mix.eligible == 1) {  // whoever chooses
    wins = {.of = std::vector<std::uint64_t>(arms.size(), 1),
            .draws = 1,
            .is_certain = true};
  } else if (by_policy == 0) {
    wins = {.of = std::vector<std::uint64_t>(arms.size()),
            .draws = 1,
            .is_certain = true};
  } else {
    wins = count_wins();
  }
  std::vector<Probability> probabilities(arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (mix.among != nullptr && !mix.among->Contains(arms[i])) continue;
    const double share =
        static_cast<double>(wins.of[i]) / static_cast<double>(wins.draws);
    probabilities[i] = {
        .value = uniform + by_policy * share,
        .standard_error =
            wins.is_certain
                ? 0
                : by_policy * StandardError(wins.of[i], wins.draws)};
  }
  return probabilities;
}

double LoggingProbabilityOf(
    const ChoiceMix& mix, bool is_uniform, std::uint64_t draws,
    const std::function<Wins(std::uint64_t further)>& count_wins) {
  if (mix.eligible == 1) return 1;  // whoever chooses
  const double uniform = mix.uniform_share / static_cast<double>(mix.eligible);
  const double by_policy = 1 - mix.uniform_share;
  if (by_policy == 0) return uniform;
  const std::uint64_t own = is_uniform ? 0 : 1;
  const Wins wins = count_wins(draws - own);
  const bool is_certain_win = wins.is_certain && !is_uniform;
  const double share = is_certain_win
                           ? 1
                           : static_cast<double>(wins.of.front() + own) /
                                 static_cast<double>(wins.draws + own);
  return uniform + by_policy * share;
}

}  // namespace manyarms
