#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "reproduction/report.h"

namespace manyarms::reproduction {
namespace {

// Wide tables and pictures scroll or shrink within themselves, so that the
// page fits a telephone; nothing is told by colour alone.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 84rem; padding: 1rem;
       font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { margin-top: 2.5rem; border-bottom: 2px solid #1a1a1a; }
nav ul, ul.origin { padding-left: 1.2rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums;
        font-size: .9rem; }
th, td { padding: .3rem .5rem; text-align: right; vertical-align: top;
         border-bottom: 1px solid #ccc; }
th { border-bottom: 2px solid #1a1a1a; vertical-align: bottom; }
td:last-child, th:last-child, #glance td, #glance th,
#theory td, #theory th { text-align: left; }
td:last-child { min-width: 8rem; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0;
                                 background: #fff; min-width: 6rem; }
.figures { display: grid; gap: 1rem;
           grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
figure { margin: 0; }
figure img { width: 100%; height: auto; }
figcaption { font-size: .9rem; color: #444; }
)css";

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8U |
              (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k])
                                    : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text +=
          i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

std::string Cells(const std::vector<std::string>& cells, const char* tag) {
  std::string text = "<tr>";
  for (const std::string& cell : cells) {
    text += fmt::format("<{0}>{1}</{0}>", tag, Escaped(cell));
  }
  return text + "</tr>\n";
}

std::string TableText(const TextTable& table) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>" +
                     Cells(table.header, "th") + "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) text += Cells(row, "td");
  return text + "</tbody></table></div>\n";
}

std::string FigureText(const Figure& figure) {
  return fmt::format(
      "<figure id=\"{}\"><img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\">"
      "<figcaption>{}</figcaption></figure>\n",
      Escaped(figure.name), Escaped(figure.caption), Base64(figure.svg),
      Escaped(figure.caption));
}

std::string BlockText(const Block& block) {
  std::string text;
  if (!block.heading.empty()) {
    text += "<h3>" + Escaped(block.heading) + "</h3>\n";
  }
  if (!block.table.header.empty()) text += TableText(block.table);
  if (!block.remarks.empty()) {
    text += "<ul>\n";
    for (const std::string& remark : block.remarks) {
      text += "<li>" + Escaped(remark) + "</li>\n";
    }
    text += "</ul>\n";
  }
  if (!block.figures.empty()) {
    text += "<div class=\"figures\">\n";
    for (const Figure& figure : block.figures) text += FigureText(figure);
    text += "</div>\n";
  }
  return text;
}

}  // namespace

std::string Html(const Report& report) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{0}</title>\n<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n",
      Escaped(report.title), kStyle);
  text += "<nav><ul>\n";
  for (const Section& section : report.sections) {
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n",
                        Escaped(section.id), Escaped(section.title));
  }
  text +=
      "<li><a href=\"#origin\">Where this comes from</a></li>\n"
      "</ul></nav>\n";
  for (const Section& section : report.sections) {
    text += fmt::format("<section id=\"{}\"><h2>{}</h2>\n", Escaped(section.id),
                        Escaped(section.title));
    if (!section.about.empty()) {
      text += "<p>" + Escaped(section.about) + "</p>\n";
    }
    for (const Block& block : section.blocks) text += BlockText(block);
    text += "</section>\n";
  }
  text +=
      "<section id=\"origin\"><h2>Where this comes from</h2>\n"
      "<ul class=\"origin\">\n";
  for (const std::string& line : report.origin) {
    text += "<li>" + Escaped(line) + "</li>\n";
  }
  return text + "</ul></section>\n</body></html>\n";
}

}  // namespace manyarms::reproduction
