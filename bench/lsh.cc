// Compares filter trees with the theory and prints JSON rows: the costs of
// queries and changes, how often a tree finds the answer, and whether deletions
// leave a trace. docs/lsh.md shows the results.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "lsh_bench.h"

int main(int argc, char** argv) try {
  using namespace manyarms::bench;
  CLI::App app("Measures filter trees; prints JSON rows");
  app.require_subcommand(1);

  CostOptions cost;
  CLI::App* cost_part =
      app.add_subcommand("cost", "Costs of queries, building and changes by K");
  cost_part
      ->add_option("--least-points", cost.least_points,
                   "Leave out smaller sets")
      ->capture_default_str();
  cost_part
      ->add_option("--most-points", cost.most_points, "Leave out larger sets")
      ->capture_default_str();

  SuccessOptions success;
  CLI::App* success_part =
      app.add_subcommand("success", "How often the answer is found");
  success_part
      ->add_option("--instances", success.instances, "Instances per setting")
      ->capture_default_str();
  success_part->add_option("--points", success.points, "Points per instance")
      ->capture_default_str();
  success_part
      ->add_option("--success", success.success,
                   "Probability of success to plan for")
      ->capture_default_str();
  success_part
      ->add_option("--first-seed", success.first_seed,
                   "Seed of the first instance")
      ->capture_default_str();
  success_part
      ->add_option("--threads", success.threads,
                   "Number of threads; it does not change the results")
      ->capture_default_str();

  DeletionOptions deletion;
  CLI::App* deletion_part = app.add_subcommand(
      "deletion",
      "Compare a tree after many changes with one built from the points left");
  deletion_part
      ->add_option("--operations", deletion.operations,
                   "Insertions and deletions")
      ->capture_default_str();
  deletion_part
      ->add_option("--points", deletion.points, "Points at the beginning")
      ->capture_default_str();

  CLI11_PARSE(app, argc, argv);
  if (*cost_part) MeasureCost(cost);
  if (*success_part) MeasureSuccess(success);
  if (*deletion_part) MeasureDeletion(deletion);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
