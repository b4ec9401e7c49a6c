#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
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
#include "service/http/open_files.h"
#include "service/load/demo.h"
#include "service/load/endpoint.h"
#include "service/sql/database.h"
#include "signals.h"

namespace manyarms::cli {
namespace {

using service::Durability;

constexpr double kMostDays = 36'500;
constexpr double kSecondsOfADay = 86'400;

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

// Is thrown by the progress of a start that is no longer wanted.
class StoppedWhileStarting : public std::exception {};

// What signals ask for while the store is read, which may take minutes.
class StartUp {
 public:
  explicit StartUp(Signals& signals) : signals_(signals) {}

  void Progress(const std::string& what, double share) {
    LogProgress(what, share);
    while (const std::optional<Signals::Wish> wish = signals_.Wait(0)) {
      if (*wish == Signals::Wish::kStop) throw StoppedWhileStarting();
      reload_ = true;
    }
  }
  bool reload() const { return reload_; }

 private:
  Signals& signals_;
  bool reload_ = false;
};

// Makes room for as many connections as are allowed, or allows fewer.
void FitOpenFiles(http::ServerOptions& server) {
  const std::uint64_t files = http::RaiseOpenFiles();
  const std::size_t wanted = server.most_connections;
  server.most_connections = http::ConnectionsThatFit(server, files);
  if (server.most_connections == wanted) return;
  service::EventLog(WriteLog).Write(
      "fewer_connections", [&](service::JsonOutput& line) {
        line.Field("reason", "the process may not open more files")
            .Field("open_files", files)
            .Field("max_connections", std::uint64_t{server.most_connections});
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

void Reload(service::Service& service) {
  try {
    service.ReloadTokens();
  } catch (const Error&) {
    // The log says it, and the former tokens stay.
  }
}

// Returns why the service has to end, or nothing if somebody asked it to.
std::string WaitForEnd(service::Service& service, Signals& signals) {
  constexpr double kLook = 0.25;
  for (;;) {
    const std::optional<Signals::Wish> wish = signals.Wait(kLook);
    if (wish == Signals::Wish::kStop) return "";
    if (wish == Signals::Wish::kReload) Reload(service);
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

void Run(const Flags& flags, service::Service& service, Signals& signals) {
  const http::ServerOptions& server = flags.options.server;
  SayWhere(UrlOf(server, service.port()));
  std::optional<load::Demo> demo;
  if (flags.demo) {
    demo.emplace(
        load::DemoOptions{.host = load::HostToConnectTo(server.address),
                          .port = service.port(),
                          .token = flags.options.own_token,
                          .log = LogDemo});
  }
  const std::string failure = WaitForEnd(service, signals);
  demo.reset();
  service.Stop(flags.stop_seconds);
  if (failure.empty()) return;
  throw ExitStatus(service.taken_over() ? kTakenOverStatus : 1, failure);
}

// A file named like a URL of another database is a mistake.
void CheckPlace(const std::string& place) {
  if (place.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "--data is empty: give a file or postgresql://...");
  }
  const std::size_t scheme = place.find("://");
  if (scheme == std::string::npos || sql::IsPostgres(place)) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("--data has the scheme {}: give a file or "
                          "postgresql://...",
                          place.substr(0, scheme)));
}

void Serve(Flags& flags) {
  CheckPlace(flags.options.store.place);
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
  FitOpenFiles(flags.options.server);
  Signals signals;
  StartUp start_up(signals);
  flags.options.progress = [&](const std::string& what, double share) {
    start_up.Progress(what, share);
  };
  std::optional<service::Service> service;
  try {
    service.emplace(flags.options);
  } catch (const StoppedWhileStarting&) {
    service::EventLog(WriteLog).Write("stop", [](service::JsonOutput& line) {
      line.Field("reason", "asked to stop while starting");
    });
    return;
  }
  if (start_up.reload()) Reload(*service);
  Run(flags, *service, signals);
}

// Adds options of one group.
class Group {
 public:
  Group(CLI::App& command, std::string name)
      : command_(command), name_(std::move(name)) {}

  template <class Value>
  CLI::Option* Add(const char* flag, Value& value, const char* help) const {
    CLI::Option* option = command_.add_option(flag, value, help)->group(name_);
    if constexpr (std::is_integral_v<Value>) {
      option->check(Count());
      if constexpr (sizeof(Value) < sizeof(std::uint64_t)) {
        static constexpr std::uint64_t kMost =
            std::numeric_limits<Value>::max();
        option->check(CLI::Validator(
            [](const std::string& text) -> std::string {
              std::uint64_t number = 0;
              CLI::detail::lexical_cast(text, number);
              if (number <= kMost) return "";
              return fmt::format("{} is above {}", number, kMost);
            },
            ""));
      }
    }
    return option;
  }
  /// A limit of 0 would let nothing through.
  template <class Value>
  void AddLimit(const char* flag, Value& value, const char* help) const {
    Add(flag, value, help)
        ->check(CLI::Validator(
            [](const std::string& text) -> std::string {
              return text == "0" ? "0 is below 1" : "";
            },
            ""));
  }
  enum class Least : std::uint8_t { kZero, kAboveZero };
  void AddNumber(const char* flag, double& value, Least least, double most,
                 const char* help) const {
    Add(flag, value, help)
        ->check(CLI::Validator(
            [least, most](const std::string& text) -> std::string {
              double number = 0;
              const bool is_number = CLI::detail::lexical_cast(text, number);
              const bool is_above =
                  number > 0 || (number == 0 && least == Least::kZero);
              if (is_number && is_above && number <= most) return "";
              return fmt::format(
                  "'{}' is not a number {} 0 and at most {}", text,
                  least == Least::kZero ? "of at least" : "above", most);
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
  command
      .add_flag("--take-over", options.store.take_over,
                "Open the store even if another process has it open, which can "
                "write nothing from then on and ends with status 3. A process "
                "that hangs within a transaction is killed")
      ->group("Service");
  service.Add("--address", options.server.address,
              "The address to listen on. Any but those of loopback "
              "(127.x.x.x, ::1, localhost) needs tokens");
  service.Add("--port", options.server.port,
              "The port to listen on. With 0 it is any that is free");
  service.Add("--threads", options.server.threads,
              "Number of threads that answer. With 0 there are as many as "
              "processors");
  service
      .Add("--durability", flags.durability,
           "full: every answer waits until the store has what it acknowledges; "
           "relaxed: choices are answered at once, and those of the last "
           "moments before a crash may be lost")
      ->check(CLI::IsMember({"full", "relaxed"}));
  service.AddNumber(
      "--retention-days", options.engine.retention_days, Group::Least::kZero,
      kMostDays,
      "Delete decisions and rewards that are older than this number of "
      "days. With 0 none are deleted");
  service.AddNumber("--save-seconds", options.engine.save_seconds,
                    Group::Least::kAboveZero, kSecondsOfADay,
                    "Look this often, in seconds, whether so much has "
                    "happened that learners should be saved, for which a "
                    "restart then has little to replay");
  service.AddNumber("--slow-seconds", options.slow_seconds,
                    Group::Least::kAboveZero, kSecondsOfADay,
                    "Log requests that take longer than this number of "
                    "seconds");
  service.AddNumber("--stop-seconds", flags.stop_seconds,
                    Group::Least::kAboveZero, kSecondsOfADay,
                    "How many seconds to wait for requests that are under "
                    "way when the service is asked to stop");
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
           "A file of tokens. Each line has a role (read, decide or admin), a "
           "space and the token. Without a file, the environment variable "
           "MANYARMS_TOKENS may have them as role:token,role:token. SIGHUP "
           "makes the service read the file again")
      ->type_name("FILE");
  CLI::Option* certificate =
      security
          .Add("--certificate", options.server.certificate,
               "The file of the certificate chain for TLS, in PEM")
          ->type_name("FILE");
  CLI::Option* key =
      security
          .Add("--key", options.server.key,
               "The file of the certificate's private key, in PEM")
          ->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
}

void AddLimits(CLI::App& command, Flags& flags) {
  service::ServiceOptions& options = flags.options;
  service::Limits& limits = options.engine.limits;
  const Group group(command, "Limits");
  group.AddLimit(
      "--max-body", options.most_body,
      "Largest number of bytes of a body that does not have many arms");
  group.AddLimit(
      "--max-arms-body", options.most_arms_body,
      "Largest number of bytes of a body with many arms, as JSON lines "
      "or NumPy arrays");
  group.AddLimit(
      "--max-body-memory", options.server.most_body_bytes,
      "Largest number of bytes of all bodies together that are received "
      "or wait for their answers, and of answers that clients have not read; "
      "beyond it requests are refused");
  group.AddLimit("--max-batch", options.most_batch,
                 "Largest number of choices or rewards in one request");
  group.AddLimit("--max-batch-decisions", options.most_batch_decisions,
                 "Largest number of decisions, the sum of their counts, for "
                 "which the choices of one request may ask");
  group.AddLimit("--max-connections", options.server.most_connections,
                 "Largest number of connections at the same time");
  group.AddLimit("--max-bandits", limits.bandits, "Largest number of bandits");
  group.AddLimit("--max-arms", limits.arms,
                 "Largest number of arms of a bandit");
  group.AddLimit("--max-learners", limits.learners,
                 "Largest number of learners of a bandit");
  group.Add("--max-learner-bytes", limits.learner_bytes,
            "Largest number of bytes of memory of all learners of a bandit; "
            "with 0 it is half of the memory of the machine");
  group.AddLimit(
      "--max-open-decisions", limits.open_decisions,
      "Largest number of decisions of a bandit that wait for a reward");
  group.AddLimit("--max-events", limits.events,
                 "Number of a bandit's latest events, and of its latest ids of "
                 "rewards, that are kept to recognise retries");
  group.AddLimit(
      "--max-waiting", options.store.most_waiting,
      "Largest number of changes that wait for the disk. Requests that "
      "would make more wait are refused");
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
