#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

#include "commands.h"
#include "exit_status.h"
#include "manyarms/version.h"
#include "printable.h"

namespace {

// Prints one line to standard error and returns a status. Does not use fmt,
// which throws if the stream is closed.
int Fail(const std::string& message, int status = 2) {
  const std::string line =
      "manyarms: " + manyarms::cli::Printable(message) + '\n';
  std::fputs(line.c_str(), stderr);
  return status;
}

std::string RegularFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) return "";
  return fmt::format("{} is not a file that can be read", path);
}

// CLI11 calls every such file INI.
std::string FlawOfFile(const CLI::App& app, const std::string& said) {
  const auto file = app.get_config_ptr()->as<std::string>();
  constexpr std::string_view kUnknown = "INI was not able to parse ";
  if (!said.starts_with(kUnknown)) return fmt::format("{}: {}", file, said);
  return fmt::format(
      "{} (read as TOML): there is no option {}, or its value "
      "cannot be read",
      file, said.substr(kUnknown.size()));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    CLI::App app{
        "Linear bandits over extremely large arm sets that change while they "
        "run",
        "manyarms"};
    app.set_version_flag("--version", manyarms::kVersion);
    app.set_config("--config", "",
                   "Read options from this file (TOML or INI); options of a "
                   "command go below its name in brackets")
        ->type_name("FILE")
        ->check(RegularFile);
    app.allow_config_extras(CLI::config_extras_mode::error);
    app.require_subcommand(0, 1);
    manyarms::cli::AddServe(app);
    manyarms::cli::AddSimulate(app);
    manyarms::cli::AddReplay(app);
    manyarms::cli::AddEvaluate(app);
    manyarms::cli::AddReproduce(app);
    manyarms::cli::AddReport(app);
    manyarms::cli::AddPlanLsh(app);
    manyarms::cli::AddAdversary(app);
    manyarms::cli::AddLoadTest(app);
    manyarms::cli::AddLog(app);
    manyarms::cli::AddOptions(app);
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& done) {  // --help and --version
      app.exit(done);
      return std::cout.flush() ? 0 : Fail("cannot write to standard output");
    } catch (const CLI::ConfigError& error) {
      return Fail(FlawOfFile(app, error.what()));
    }
    if (app.get_subcommands().empty()) {
      return Fail("no command given (see manyarms --help)");
    }
  } catch (const CLI::ParseError& error) {
    return Fail(fmt::format("{} (see manyarms --help)", error.what()));
  } catch (const manyarms::cli::ExitStatus& end) {
    return Fail(end.what(), end.status());
  } catch (const std::bad_alloc&) {
    return Fail("out of memory");
  } catch (const std::exception& error) {
    return Fail(error.what());
  }
  return 0;
}
