#include "theorem.h"

#include <fmt/format.h>

#include "reproduction/text.h"
#include "reproduction/theory.h"
#include "search/kinds.h"

namespace manyarms::cli {
namespace {

bool MeetsAssumptions(const SearchOptions& search) {
  const auto* theory = std::get_if<LshTheoryOptions>(&search);
  return IsExact(search) || (theory != nullptr && theory->copies == 0);
}

bool MeetsAssumptions(const RunSpec& spec) {
  const SyntheticOptions& world = spec.environment;
  return world.learners == 0 && world.context_dim == 0 &&
         world.click_rate == 0 && world.turn_every == 0 && world.drift == 0 &&
         spec.forgetting == 1 && MeetsAssumptions(spec.search) &&
         world.unit_ball && world.noise <= 1 && spec.regularisation == 1 &&
         !spec.negative_rewards;
}

std::string Line(const char* theorem, double bound, double delta) {
  return fmt::format("theorem {}: at most {} with probability {:.4g}", theorem,
                     reproduction::Grouped(bound), 1 - delta);
}

}  // namespace

std::string TheoremLine(const RunSpec& spec) {
  if (!MeetsAssumptions(spec)) return "";
  const auto* thompson = std::get_if<ThompsonOptions>(&spec.policy);
  const auto* elimination = std::get_if<EliminationOptions>(&spec.policy);
  const Exploration* exploration = thompson != nullptr ? &thompson->exploration
                                   : elimination != nullptr
                                       ? &elimination->exploration
                                       : nullptr;
  if (exploration == nullptr) return "";
  const auto* theory = std::get_if<TheoryRadius>(exploration);
  if (theory == nullptr) return "";

  reproduction::TheoremSetting setting{
      .dim = spec.environment.dim, .steps = spec.steps, .delta = theory->delta};
  if (thompson != nullptr) {
    // This is the accuracy of the ladder of solvers. An exact search has none.
    const auto* ladder = std::get_if<LshTheoryOptions>(&spec.search);
    setting.accuracy = ladder != nullptr ? ladder->accuracy : 0;
    return Line("6.1", reproduction::ThompsonBound(setting), theory->delta);
  }
  if (spec.environment.remove > 0) return "";
  setting.accuracy = elimination->accuracy;
  return Line("5.2", reproduction::EliminationBound(setting), theory->delta);
}

}  // namespace manyarms::cli
