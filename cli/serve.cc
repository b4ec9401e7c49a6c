#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include "commands.h"
#include "exit_status.h"
#include "manyarms/error.h"
#include "service/api/event_log.h"
#include "service/api/service.h"
#include "service/load/demo.h"
#include "signals.h"

namespace manyarms::cli {
namespace {

using service::Durability;

struct Flags {
  service::ServiceOptions options;
  std::string durability = "full";
  double stop_seconds = 10;
  bool demo = false;
};

// Lines of the log come from any thread, and each is written whole.
void WriteLog(const std::string& line) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  std::fputs((line + '\n').c_str(), stderr);
}

void LogProgress(const std::string& what, double share) {
  service::EventLog(WriteLog).Write("progress", [&](service::JsonOutput& line) {
    line.Field("what", what).Field("share", share);
  });
}

std::string UrlOf(const http::ServerOptions& server, std::uint16_t port) {
  const bool is_six = server.address.find(':') != std::string::npos;
  return fmt::format(
      "{}://{}:{}", server.certificate.empty() ? "http" : "https",
      is_six ? '[' + server.address + ']' : server.address, port);
}

void SayWhere(const std::string& url) {
  const std::string line = "manyarms: listening on " + url + '\n';
  if (std::fputs(line.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw Error(ErrorCode::kIo, "cannot write to standard output");
  }
}

// Returns why the service has to end, or nothing if somebody asked it to.
std::string WaitForEnd(service::Service& service, Signals& signals) {
  constexpr double kLook = 0.25;
  for (;;) {
    const std::optional<Signals::Wish> wish = signals.Wait(kLook);
    if (wish == Signals::Wish::kStop) return "";
    if (wish == Signals::Wish::kReload) {
      try {
        service.ReloadTokens();
      } catch (const Error&) {
        // The log says it, and the former tokens stay.
      }
    }
    if (std::string failure = service.failure(); !failure.empty()) {
      return failure;
    }
  }
}

std::string RandomToken() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(),
                     random());
}

void LogDemo(const std::string& what) {
  service::EventLog(WriteLog).Write(
      "demo", [&](service::JsonOutput& line) { line.Field("reason", what); });
}

void Serve(Flags& flags) {
  if (flags.demo) {
    if (!flags.options.server.certificate.empty()) {
      throw Error(ErrorCode::kUnsupported,
                  "--demo cannot be combined with --certificate");
    }
    flags.options.own_token = RandomToken();
  }
  flags.options.durability =
      flags.durability == "full" ? Durability::kFull : Durability::kRelaxed;
  flags.options.log = WriteLog;
  flags.options.progress = LogProgress;
  Signals signals;
  service::Service service(flags.options);
  SayWhere(UrlOf(flags.options.server, service.port()));
  std::optional<load::Demo> demo;
  if (flags.demo) {
    demo.emplace(load::DemoOptions{.port = service.port(),
                                   .token = flags.options.own_token,
                                   .log = LogDemo});
  }
  const std::string failure = WaitForEnd(service, signals);
  demo.reset();
  service.Stop(flags.stop_seconds);
  if (!failure.empty()) throw ExitStatus(1, failure);
}

// Adds options of one group.
class Group {
 public:
  Group(CLI::App& command, std::string name)
      : command_(command), name_(std::move(name)) {}

  template <class Value>
  CLI::Option* Add(const char* flag, Value& value, const char* help) const {
    CLI::Option* option = command_.add_option(flag, value, help)->group(name_);
    if constexpr (std::is_integral_v<Value>) option->check(Count());
    return option;
  }
  void AddPositive(const char* flag, double& value, const char* help) const {
    Add(flag, value, help)
        ->check(CLI::Validator(
            [](const std::string& text) -> std::string {
              double number = 0;
              if (CLI::detail::lexical_cast(text, number) && number > 0 &&
                  std::isfinite(number)) {
                return "";
              }
              return fmt::format("'{}' is not a number above 0", text);
            },
            "NUMBER"));
  }

 private:
  CLI::App& command_;
  std::string name_;
};

void AddPlaces(CLI::App& command, Flags& flags) {
  service::ServiceOptions& options = flags.options;
  const Group service(command, "Service");
  options.store.place = "manyarms.db";
  service
      .Add("--data", options.store.place,
           "The file in which everything is kept, made if it is missing; or a "
           "database of PostgreSQL as postgresql://user@host/name")
      ->type_name("PLACE");
  service.Add("--address", options.server.address,
              "The address to listen on. Others than 127.0.0.1 and ::1 need "
              "tokens");
  service.Add("--port", options.server.port, "0: any that is free");
  service.Add("--threads", options.server.threads,
              "Threads that answer; 0: as many as there are processors");
  service
      .Add("--durability", flags.durability,
           "full: every answer waits until the store has what it acknowledges; "
           "relaxed: choices are answered at once, and those of the last "
           "moments before a crash may be lost")
      ->check(CLI::IsMember({"full", "relaxed"}));
  service
      .Add("--retention-days", options.engine.retention_days,
           "Decisions and rewards older than this are deleted; 0: never")
      ->check(CLI::NonNegativeNumber);
  service.AddPositive("--save-seconds", options.engine.save_seconds,
                      "Learners that have changed are saved this often, so "
                      "that a restart has little to replay");
  service.AddPositive("--slow-seconds", options.slow_seconds,
                      "Requests that take longer are logged");
  service.AddPositive("--stop-seconds", flags.stop_seconds,
                      "How long to wait for requests that are under way when "
                      "the service is asked to stop");
  command
      .add_flag("--demo", flags.demo,
                "Make a bandit with a small world and simulated visitors, to "
                "have something to look at")
      ->group("Service");
}

void AddSecurity(CLI::App& command, Flags& flags) {
  service::ServiceOptions& options = flags.options;
  const Group security(command, "Security");
  security
      .Add("--tokens", options.tokens_file,
           "A file of tokens, a line each: read, decide or admin, a space, the "
           "token. Without it the environment variable MANYARMS_TOKENS, "
           "role:token,role:token. SIGHUP reads it again")
      ->type_name("FILE");
  CLI::Option* certificate =
      security
          .Add("--certificate", options.server.certificate,
               "The certificate chain for TLS (PEM)")
          ->type_name("FILE");
  CLI::Option* key =
      security.Add("--key", options.server.key, "Its private key (PEM)")
          ->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
}

void AddLimits(CLI::App& command, Flags& flags) {
  service::ServiceOptions& options = flags.options;
  service::Limits& limits = options.engine.limits;
  const Group group(command, "Limits");
  group.Add("--max-body", options.most_body,
            "Bytes of a body, but for those with many arms");
  group.Add("--max-arms-body", options.most_arms_body,
            "Bytes of a body of JSON lines or NumPy arrays with many arms");
  group.Add("--max-batch", options.most_batch,
            "Choices or rewards in one request");
  group.Add("--max-connections", options.server.most_connections,
            "Connections at the same time");
  group.Add("--max-bandits", limits.bandits, "Bandits");
  group.Add("--max-arms", limits.arms, "Arms of a bandit");
  group.Add("--max-learners", limits.learners, "Learners of a bandit");
  group.Add("--max-learner-bytes", limits.learner_bytes,
            "Bytes of memory of all learners of a bandit; 0: half of the "
            "memory of the machine");
  group.Add("--max-open-decisions", limits.open_decisions,
            "Decisions of a bandit that wait for a reward");
  group.Add("--max-events", limits.events,
            "Events, and ids of rewards, of a bandit that are known for "
            "retries");
  group.Add("--max-waiting", options.store.most_waiting,
            "Changes that wait for the disk; beyond it requests are refused");
}

}  // namespace

void AddServe(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "serve",
      "Serve bandits over HTTP (docs/service.md), and lose nothing that was "
      "acknowledged");
  command->option_defaults()->always_capture_default();
  command->fallthrough();
  AddPlaces(*command, *flags);
  AddSecurity(*command, *flags);
  AddLimits(*command, *flags);
  command->callback([flags] { Serve(*flags); });
}

}  // namespace manyarms::cli
