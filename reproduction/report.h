#ifndef MANYARMS_REPRODUCTION_REPORT_H_
#define MANYARMS_REPRODUCTION_REPORT_H_

#include <string>
#include <vector>

#include "reproduction/summary.h"

namespace manyarms::reproduction {

/// A table of texts; Markdown and Html decide how it looks.
struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// A plot.
struct Figure {
  std::string name;     ///< of its file, without the extension
  std::string caption;  ///< describes in words what the plot shows
  std::string script;   ///< for gnuplot
  std::string svg;      ///< empty until Draw
};

struct Block {
  std::string heading;
  TextTable table;
  std::vector<std::string> remarks;
  std::vector<Figure> figures;
};

struct Section {
  std::string id;
  std::string title;
  std::string about;
  std::vector<Block> blocks;
};

struct Report {
  std::string title;
  std::vector<std::string> origin;  ///< lines on machines and program versions
  std::vector<Section> sections;
};

/// Makes the report on these rows. Its figures are not drawn yet.
Report MakeReport(const std::vector<TableSummary>& summaries,
                  const RowsBySettings& rows);

/// The report as Markdown, without its figures.
std::string Markdown(const Report& report);

/// The report as one self-contained page. REQUIRES: Draw was called.
std::string Html(const Report& report);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_REPORT_H_
