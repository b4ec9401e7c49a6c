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
                  "The service to drive. It must be on this machine: others "
                  "are refused, because a load test takes a service away from "
                  "everybody else")
      ->group(kGroup);
  command
      .add_option("--token-file", flags.token_file,
                  "The file whose first line is an admin's token. Without it "
                  "the environment variable MANYARMS_TOKEN is used, if it is "
                  "set")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--bandit", flags.load.drive.bandit,
                  "Name of the bandit that the test makes, and removes "
                  "afterwards")
      ->group(kGroup);
  command
      .add_option("--settings", flags.load.settings,
                  "Further settings of the bandit: an object of JSON such as "
                  "{\"policy\":\"ucb\"}")
      ->type_name("JSON")
      ->group(kGroup);
  command
      .add_flag("--keep", flags.load.keep,
                "Do not remove the bandit afterwards")
      ->group(kGroup);
  command
      .add_flag("--reuse", flags.load.reuse,
                "Use the bandit that an earlier test with the same --arms, "
                "--dim, --numbers and --seed has kept, and keep it again")
      ->group(kGroup);
}

void AddWorldFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "World";
  load::WorldOptions& world = flags.load.world;
  command.add_option("--arms", world.arms, "Number of arms")
      ->check(Count())
      ->group(kGroup);
  command.add_option("--dim", world.dim, "Number of features of an arm")
      ->check(Count())
      ->group(kGroup);
  command.add_option("--learners", world.learners, "Number of learners")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--zipf", world.zipf,
                  "Z in Zipf's law: learner i comes in proportion to 1/i^Z. "
                  "With 0 all come equally often")
      ->group(kGroup);
  command
      .add_option("--rewards", flags.rewards,
                  "linear: rewards are real numbers; clicks: they are 0 or 1")
      ->check(CLI::IsMember({"linear", "clicks"}))
      ->group(kGroup);
  command
      .add_flag("--numbers", flags.load.drive.numbered,
                "Give arms numbers in place of names such as "
                "espresso-machine-0168")
      ->group(kGroup);
  command
      .add_option("--visits", flags.load.drive.visits,
                  "A number from which the visits are drawn. With another one "
                  "the same world gets other visits")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--seed", world.seed, "Seed of the world and of its visits")
      ->check(Count())
      ->group(kGroup);
}

void AddLoadFlags(CLI::App& command, Flags& flags) {
  constexpr const char* kGroup = "Load";
  load::DriveOptions& drive = flags.load.drive;
  command
      .add_option("--connections", drive.connections,
                  "Number of connections, each of which has one request under "
                  "way at a time")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--threads", drive.threads,
                  "Number of threads that drive these connections")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--batch", drive.batch,
                  "Number of choices in one request, whose rewards are then "
                  "sent in one request, too")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option(
          "--rate", drive.rate,
          "Number of choices that are due in each second, whatever "
          "the service can do; the time of a request counts from the "
          "moment at which it was due. With 0 each connection sends its "
          "next request when it has the answer to the last one")
      ->group(kGroup);
  command.add_option("--seconds", drive.seconds, "How long to measure")
      ->group(kGroup);
  command
      .add_option("--choices", drive.choices,
                  "End earlier, after this number of choices. With 0 the test "
                  "does not end earlier")
      ->check(Count())
      ->group(kGroup);
  command
      .add_option("--warm-up", drive.warm_up,
                  "How many seconds to drive the service before anything is "
                  "measured")
      ->group(kGroup);
  command
      .add_option("--timeout", drive.timeout_seconds,
                  "Number of seconds after which a request counts as failed")
      ->group(kGroup);
  command
      .add_flag("--unchecked", drive.unchecked,
                "Check only the statuses of answers, not what they say. This "
                "is for a server that always answers the same")
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
  command
      ->add_flag("--json", flags->json,
                 "Print one JSON object, with times in seconds")
      ->group("Output");
  command
      ->add_option("--output", flags->output,
                   "Write to this file instead of standard output")
      ->group("Output");
  command->callback([flags] { RunLoadTest(*flags); });
}

}  // namespace manyarms::cli
