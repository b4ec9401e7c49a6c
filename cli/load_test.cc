// Drives a running service and says how fast it answers.

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "bandit/checked_file.h"
#include "commands.h"
#include "manyarms/error.h"
#include "output.h"
#include "progress.h"
#include "service/load/run_load.h"

namespace manyarms::cli {
namespace {

struct Flags {
  load::LoadOptions load;
  std::string url = "http://127.0.0.1:7420";
  std::string token_file;
  std::string rewards = "linear";
  bool json = false;
  std::string output;
};

// The first line of a file, or the environment's.
std::string TokenOf(const Flags& flags) {
  if (flags.token_file.empty()) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment.
    const char* token = std::getenv("MANYARMS_TOKEN");
    return token == nullptr ? "" : token;
  }
  std::ifstream in = OpenToRead(flags.token_file);
  std::string token;
  std::getline(in, token);
  return token;
}

void RunLoadTest(const Flags& flags) {
  load::LoadOptions options = flags.load;
  options.drive.endpoint = load::ParseUrl(flags.url);
  options.drive.token = TokenOf(flags);
  options.world.clicks = flags.rewards == "clicks";
  Output output(flags.output);
  ProgressLine progress;
  std::string task;
  const load::LoadReport report =
      load::RunLoadTest(options, [&](const std::string& what, double done) {
        if (what != task) {
          progress.Erase();
          progress.Begin(what);
        }
        task = what;
        progress.Update(done);
      });
  progress.Erase();
  if (flags.json) {
    output.Line(load::ToJson(options, report));
  } else {
    std::string text = load::ToText(options, report);
    text.pop_back();
    output.Line(text);
  }
  if (!report.tally.errors.empty()) {
    throw Error(ErrorCode::kIo, report.tally.first_error);
  }
}

void AddServiceFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Service";
  command
      .add_option("--url", flags.url,
                  "Of a service on this machine: other machines are refused, "
                  "because a load test takes a service away from everybody "
                  "else")
      ->group(kGroup);
  command
      .add_option("--token-file", flags.token_file,
                  "Its first line is an admin's token; without it the "
                  "environment variable MANYARMS_TOKEN is taken, if it is set")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--bandit", flags.load.drive.bandit,
                  "Name of the bandit that is made, and removed afterwards")
      ->group(kGroup);
  command
      .add_option("--settings", flags.load.settings,
                  "Further settings of the bandit, an object of JSON such as "
                  "{\"policy\":\"ucb\"}")
      ->type_name("JSON")
      ->group(kGroup);
  command.add_flag("--keep", flags.load.keep, "The bandit stays afterwards")
      ->group(kGroup);
  command
      .add_flag("--reuse", flags.load.reuse,
                "Use the bandit that an earlier test with the same --arms, "
                "--dim, --numbers and --seed has kept; it stays")
      ->group(kGroup);
}

void AddWorldFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "World";
  load::WorldOptions& world = flags.load.world;
  command.add_option("--arms", world.arms, "Number of arms")
      ->check(Count())
      ->group(kGroup);
  command.add_option("--dim", world.dim, "Features of an arm")
      ->check(Count())
      ->group(kGroup);
  command.add_option("--learners", world.learners, "Number of learners")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--zipf", world.zipf,
                  "How unequally often learners come: learner i in proportion "
                  "to 1/i^Z; 0: equally often")
      ->group(kGroup);
  command
      .add_option("--rewards", flags.rewards,
                  "linear: real numbers; clicks: 0 or 1")
      ->check(CLI::IsMember({"linear", "clicks"}))
      ->group(kGroup);
  command
      .add_flag("--numbers", flags.load.drive.numbered,
                "Arms have numbers in place of names such as "
                "espresso-machine-0168")
      ->group(kGroup);
  command
      .add_option("--visits", flags.load.drive.visits,
                  "With another number other learners come, to the same world")
      ->check(Count())
      ->group(kGroup);
  command.add_option("--seed", world.seed, "Of everything that is drawn")
      ->check(Count())
      ->group(kGroup);
}

void AddLoadFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Load";
  load::DriveOptions& drive = flags.load.drive;
  command
      .add_option("--connections", drive.connections,
                  "Each has one request under way at a time")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--threads", drive.threads, "That drive these connections")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--batch", drive.batch,
                  "Choices in one request, and then rewards")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--rate", drive.rate,
                  "Choices that are due in each second, whatever the service "
                  "can do; times count from then on. 0: each connection sends "
                  "its next request when it has the answer to the last one")
      ->group(kGroup);
  command.add_option("--seconds", drive.seconds, "How long it is measured")
      ->group(kGroup);
  command
      .add_option("--choices", drive.choices,
                  "Ends earlier after this number of choices; 0: it does not")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--warm-up", drive.warm_up,
                  "Seconds of load before anything is measured")
      ->group(kGroup);
  command
      .add_option("--timeout", drive.timeout_seconds,
                  "Seconds after which a request counts as failed")
      ->group(kGroup);
  command
      .add_flag("--unchecked", drive.unchecked,
                "Look at nothing but the statuses of answers, as for a server "
                "that always answers the same")
      ->group(kGroup);
}

}  // namespace

void AddLoadTest(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "load-test",
      "Drive a running service on this machine with choices and rewards, check "
      "its answers, and say how fast they come");
  command->option_defaults()->always_capture_default();
  command->fallthrough();
  AddServiceFlags(*command, *flags);
  AddWorldFlags(*command, *flags);
  AddLoadFlags(*command, *flags);
  command->add_flag("--json", flags->json, "One JSON object; times in seconds")
      ->group("Output");
  command
      ->add_option("--output", flags->output,
                   "Write to this file instead of standard output")
      ->group("Output");
  command->callback([flags] { RunLoadTest(*flags); });
}

}  // namespace manyarms::cli
