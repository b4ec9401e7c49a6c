#include "learning_flags.h"

namespace manyarms::cli {

LearningFlags::LearningFlags(CLI::App& command) {
  constexpr const char* kGroup = "Learning";
  command
      .add_option("--regularisation", regularisation_,
                  "Of the ridge regression (lambda)")
      ->group(kGroup);
  command
      .add_flag("--negative-rewards", negative_rewards_,
                "The paper's extension for rewards that may all be negative")
      ->group(kGroup);
  command
      .add_option("--rewards", rewards_,
                  "What rewards are like: linear, or clicks (0, 1 and shares "
                  "between them, learned by logistic regression)")
      ->check(CLI::IsMember({"linear", "clicks"}))
      ->group(kGroup);
  CLI::Option* const forgetting =
      command
          .add_option("--forgetting", forgetting_,
                      "With each reward, earlier ones count this times as much "
                      "as before; 1 forgets nothing")
          ->group(kGroup);
  half_life_ =
      command
          .add_option(
              "--half-life", [](const CLI::results_t&) { return true; },
              "The same, as the number of rewards after which a reward "
              "counts half")
          ->type_name("FLOAT")
          ->check(CLI::Number)
          ->excludes(forgetting)
          ->group(kGroup);
  command
      .add_option("--explore-uniform", explore_uniform_,
                  "Share of the choices that are drawn uniformly among the "
                  "arms")
      ->group(kGroup);
}

double LearningFlags::Forgetting() const {
  return half_life_->count() > 0
             ? ForgettingOfHalfLife(half_life_->as<double>())
             : forgetting_;
}

}  // namespace manyarms::cli
