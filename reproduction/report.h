#ifndef MANYARMS_REPRODUCTION_REPORT_H_
#define MANYARMS_REPRODUCTION_REPORT_H_

#include <string>
#include <vector>

#include "reproduction/summary.h"

namespace manyarms::reproduction {

/// A table of texts; what it looks like is up to whoever prints it.
struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// A plot: first the script that draws it, then, once drawn, the picture.
struct Figure {
  std::string name;     ///< of its file, without the ending
  std::string caption;  ///< says in words what is to be seen
  std::string script;   ///< for gnuplot
  std::string svg;
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
  std::vector<std::string> origin;  ///< machine and program, a line each
  std::vector<Section> sections;
};

/// All that is to be said of these rows. Figures are not drawn yet.
Report MakeReport(const std::vector<TableSummary>& summaries,
                  const RowsBySettings& rows);

/// The report as Markdown, without its figures.
std::string Markdown(const Report& report);

/// The report as one page that needs nothing else. REQUIRES: figures drawn.
std::string Html(const Report& report);

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_REPORT_H_
