#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "experiments.h"
#include "manyarms/error.h"
#include "output.h"
#include "progress.h"
#include "reproduction/rows.h"
#include "reproduction/write.h"

namespace manyarms::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string folder;
  std::string experiments;
};

void MakeReportFrom(const Flags& flags) {
  const std::vector<reproduction::Table> tables = TablesOf(flags.experiments);
  const fs::path folder = flags.folder;
  const fs::path file = folder / "rows.jsonl";
  const reproduction::ReadRows read = reproduction::ReadRowFile(file);
  ProgressLine progress;
  for (const std::string& complaint : read.complaints) {
    progress.Say(complaint + " and is skipped");
  }
  if (read.rows.empty()) {
    throw Error(ErrorCode::kIo,
                fmt::format("there are no rows in {}", file.string()));
  }
  Output output("");
  const auto written = reproduction::WriteReport(folder, tables, read.rows);
  output.Line(written.page.string());
}

}  // namespace

void AddReport(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "report",
      "Make the tables and the page again from the rows of reproduce");
  command->fallthrough();
  command->add_option("folder", flags->folder, "Folder that has rows.jsonl")
      ->required();
  AddExperimentsOption(*command, flags->experiments);
  command->callback([flags] { MakeReportFrom(*flags); });
}

}  // namespace manyarms::cli
