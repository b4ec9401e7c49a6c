#include "reproduction/write.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "manyarms/error.h"
#include "reproduction/figures.h"

namespace manyarms::reproduction {
namespace {

namespace fs = std::filesystem;

void Replace(const fs::path& path, const std::string& text) {
  const fs::path draft = path.string() + ".new";
  std::ofstream file(draft, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) fs::rename(draft, path, error);
  if (!file || error) {
    std::error_code ignored;
    fs::remove(draft, ignored);
    throw Error(
        ErrorCode::kIo,
        fmt::format("cannot write {}: {}", path.string(),
                    error ? error.message()
                          : "the disk is full or permission is denied"));
  }
}

}  // namespace

WrittenReport WriteReport(const fs::path& folder,
                          const std::vector<Table>& tables,
                          const RowsBySettings& rows) {
  Report report = MakeReport(Summarise(tables, rows), rows);
  WrittenReport written{Markdown(report), folder / "report.html"};
  Replace(folder / "tables.md", written.tables);
  Draw(report);
  std::error_code error;
  fs::create_directories(folder / "plots", error);
  for (const Section& section : report.sections) {
    for (const Block& block : section.blocks) {
      for (const Figure& figure : block.figures) {
        Replace(folder / "plots" / (figure.name + ".svg"), figure.svg);
      }
    }
  }
  Replace(written.page, Html(report));
  return written;
}

}  // namespace manyarms::reproduction
