// What a service has written down, as a log.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "bandit/whole_file.h"
#include "commands.h"
#include "manyarms/error.h"
#include "progress.h"
#include "reproduction/text.h"
#include "service/engine/log_export.h"

namespace manyarms::cli {
namespace {

struct Flags {
  service::LogExportOptions log;
  std::string since;
  std::string until;
  std::string learner;
  bool no_arms = false;
  std::string output = "-";
  const CLI::App* command = nullptr;
};

std::optional<double> SecondsOf(const std::string& text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && last == end && std::isfinite(seconds)) {
    return seconds;
  }
  for (const char* form :
       {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"}) {
    std::tm parts{};
    const char* rest = strptime(text.c_str(), form, &parts);
    if (rest != nullptr && *rest == '\0') {
      return static_cast<double>(timegm(&parts));
    }
  }
  return std::nullopt;
}

std::optional<double> TimeOf(const char* flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::optional<double> seconds = SecondsOf(text);
  if (!seconds) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} is \"{}\", must be like 2026-01-31, "
                            "2026-01-31T23:59:59Z (UTC) or a number of seconds "
                            "since 1970",
                            flag, text));
  }
  return seconds;
}

void CheckOutput(const std::string& path) {
  if (!path.ends_with(".parquet")) return;
  throw Error(
      ErrorCode::kUnsupported,
      fmt::format("{0}: this program writes lines of JSON; the program of the "
                  "Python package writes Parquet, too (pip install "
                  "manyarms[parquet]), as does python3 -c 'import manyarms; "
                  "manyarms.log_to_parquet(\"log.jsonl\", \"{0}\")'",
                  path));
}

service::ExportedEvents Write(const Flags& flags,
                              const service::LogExportOptions& options) {
  ProgressLine progress;
  progress.Begin("events");
  const auto update = [&progress](double done) { progress.Update(done); };
  if (flags.output == "-") {
    const auto counts = service::ExportLog(options, std::cout, update);
    if (!std::cout.flush()) {
      throw Error(ErrorCode::kIo, "cannot write to standard output");
    }
    return counts;
  }
  service::ExportedEvents counts;
  WriteWhole(flags.output, [&](std::ostream& out) {
    counts = service::ExportLog(options, out, update);
  });
  return counts;
}

void Export(const Flags& flags) {
  CheckOutput(flags.output);
  service::LogExportOptions options = flags.log;
  options.since = TimeOf("--since", flags.since);
  options.until = TimeOf("--until", flags.until);
  if (flags.command->count("--learner") > 0) options.learner = flags.learner;
  options.arms = !flags.no_arms;
  const service::ExportedEvents counts = Write(flags, options);
  if (flags.output == "-") return;
  const auto grouped = [](std::uint64_t count) {
    return reproduction::Grouped(static_cast<double>(count));
  };
  std::cout << fmt::format(
      "{}: {} decisions, {} rewards, {} observations, {} changes of arms\n",
      flags.output, grouped(counts.decisions), grouped(counts.rewards),
      grouped(counts.observations), grouped(counts.arm_changes));
}

}  // namespace

void AddLog(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* log =
      app.add_subcommand("log", "Logs of what a service has decided");
  log->require_subcommand(1);
  log->fallthrough();
  CLI::App* command = log->add_subcommand(
      "export",
      "Write the decisions, rewards and arms of a bandit from a service's "
      "store as a log (docs/log.md), which manyarms evaluate and replay read; "
      "the service may run meanwhile");
  command->option_defaults()->always_capture_default();
  command->fallthrough();
  flags->command = command;
  command
      ->add_option("--data", flags->log.place,
                   "The service's file, or the URL postgresql://... of its "
                   "database")
      ->required();
  command->add_option("--bandit", flags->log.bandit, "Name of the bandit")
      ->required();
  command->add_option("--output", flags->output,
                      "The file to write, which is made whole or not at all; "
                      "- is standard output");
  command
      ->add_option("--since", flags->since,
                   "Write only decisions and observations from this time on. "
                   "Rewards are written with their decisions, whenever they "
                   "came. A time is 2026-01-31, 2026-01-31T23:59:59Z (UTC) or "
                   "seconds since 1970")
      ->type_name("TIME");
  command
      ->add_option("--until", flags->until,
                   "Write only decisions and observations before this time")
      ->type_name("TIME");
  command->add_option("--learner", flags->learner,
                      "Write only what belongs to this learner");
  command->add_flag("--no-arms", flags->no_arms,
                    "Leave out when arms came and went. The log is smaller "
                    "and can be replayed, but evaluated only with --arms");
  command->callback([flags] { Export(*flags); });
}

}  // namespace manyarms::cli
