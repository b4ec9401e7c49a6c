#include <fmt/format.h>

#include <algorithm>

#include "reproduction/report.h"

namespace manyarms::reproduction {
namespace {

// Characters, not bytes: those that do not continue one.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::string Row(const std::vector<std::string>& cells,
                const std::vector<std::size_t>& widths) {
  std::string line = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line +=
        ' ' + cells[i] + std::string(widths[i] - Width(cells[i]), ' ') + " |";
  }
  return line + '\n';
}

// Padded, so that it can be read as it is.
std::string TableText(const TextTable& table) {
  std::vector<std::size_t> widths;
  widths.reserve(table.header.size());
  for (const std::string& name : table.header) widths.push_back(Width(name));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], Width(row[i]));
    }
  }
  std::string text = Row(table.header, widths) + "|";
  for (const std::size_t width : widths) {
    text += std::string(width + 2, '-') + "|";
  }
  text += '\n';
  for (const auto& row : table.rows) text += Row(row, widths);
  return text + '\n';
}

std::string BlockText(const Block& block) {
  std::string text;
  if (!block.heading.empty()) text += "### " + block.heading + "\n\n";
  if (!block.table.header.empty()) text += TableText(block.table);
  for (const std::string& remark : block.remarks) text += "- " + remark + '\n';
  if (!block.remarks.empty()) text += '\n';
  return text;
}

}  // namespace

std::string Markdown(const Report& report) {
  std::string text = "# " + report.title + "\n\n";
  for (const std::string& line : report.origin) text += "- " + line + '\n';
  text += '\n';
  for (const Section& section : report.sections) {
    text += "## " + section.title + "\n\n";
    if (!section.about.empty()) text += section.about + "\n\n";
    for (const Block& block : section.blocks) text += BlockText(block);
  }
  return text;
}

}  // namespace manyarms::reproduction
