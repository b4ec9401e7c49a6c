#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "commands.h"
#include "manyarms/version.h"

namespace {

// One line on standard error and status 2, whatever went wrong.
int Fail(std::string message) {
  std::ranges::replace(message, '\n', ' ');
  fmt::print(stderr, "manyarms: {}\n", message);
  return 2;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): only where not even an error can
// be printed.
int main(int argc, char** argv) {
  try {
    CLI::App app{
        "Linear bandits over extremely large arm sets that change while they "
        "run",
        "manyarms"};
    app.set_version_flag("--version", manyarms::kVersion);
    app.set_config("--config", "",
                   "Read options from a file; those of a command stand below "
                   "its name in brackets");
    app.allow_config_extras(CLI::config_extras_mode::error);
    app.require_subcommand(0, 1);
    manyarms::cli::AddSimulate(app);
    manyarms::cli::AddReproduce(app);
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& done) {  // --help and --version
      return app.exit(done);
    }
    if (app.get_subcommands().empty()) {
      return Fail("no command given (see manyarms --help)");
    }
  } catch (const CLI::ParseError& error) {
    return Fail(fmt::format("{} (see manyarms --help)", error.what()));
  } catch (const std::bad_alloc&) {
    return Fail("out of memory");
  } catch (const std::exception& error) {
    return Fail(error.what());
  }
  return 0;
}
