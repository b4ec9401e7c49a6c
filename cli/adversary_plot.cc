#include "adversary_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reproduction/figures.h"

namespace manyarms::cli {
namespace {

// The size has room for two plots, one above the other.
constexpr const char* kTerminal =
    "set terminal svg size 560,760 dynamic font 'sans-serif,14' background rgb "
    "'white'\n";

struct Line {
  const AdversaryResult* result;
  std::string title;
  const char* look;
};

// The share of failed queries, averaged over intervals that grow with the
// query's number, because the share changes most among the first queries.
std::string FailureCurve(const AdversaryResult& result, std::size_t sequences) {
  std::string text;
  for (std::size_t first = 0; first < result.failures_at.size();) {
    const std::size_t end = std::min(
        first + std::max<std::size_t>(first / 5, 1), result.failures_at.size());
    std::uint64_t failures = 0;
    for (std::size_t i = first; i < end; ++i) failures += result.failures_at[i];
    text += fmt::format("{} {:.6g}\n", end,
                        static_cast<double>(failures) /
                            static_cast<double>((end - first) * sequences));
    first = end;
  }
  return text;
}

// Selects a single copy with fixed and with adaptive queries, and the largest
// number of copies.
std::vector<Line> LinesOf(const std::vector<AdversaryResult>& results) {
  std::vector<Line> lines;
  const AdversaryResult* most = nullptr;
  for (const AdversaryResult& result : results) {
    if (!result.adaptive) {
      lines.push_back({&result, "1 copy, queries fixed beforehand",
                       "lc rgb '#000000' dt 2 pt 1"});
    } else if (result.copies == 1) {
      lines.push_back({&result, "1 copy, queries depend on answers",
                       "lc rgb '#D55E00' dt 1 pt 4"});
    } else if (most == nullptr || result.copies > most->copies) {
      most = &result;
    }
  }
  if (most != nullptr) {
    lines.push_back(
        {most,
         fmt::format("{} copies, queries depend on answers", most->copies),
         "lc rgb '#009E73' dt 3 pt 6"});
  }
  return lines;
}

std::string QueriesScript(const std::vector<Line>& lines,
                          std::size_t sequences) {
  std::string data;
  std::vector<std::string> plots;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    data += fmt::format("$line{} << EOD\n{}EOD\n", i,
                        FailureCurve(*lines[i].result, sequences));
    plots.push_back(fmt::format(
        "$line{} using 1:2 with linespoints lw 2 ps 0.6 {} title '{}'", i,
        lines[i].look, lines[i].title));
  }
  return fmt::format(
      "{}set key maxcols 1\nset logscale x\nset xlabel 'number of the query'\n"
      "set ylabel 'share that fails'\nset yrange [-0.02:1]\nplot {}\n",
      data, fmt::join(plots, ", "));
}

std::string CopiesScript(const std::vector<AdversaryResult>& results,
                         std::size_t sequences) {
  std::map<std::size_t, std::string> rows;  // by copies
  for (const AdversaryResult& result : results) {
    if (!result.adaptive) continue;
    rows[result.copies] =
        fmt::format("{} {:.6g} {:.6g}\n", result.copies,
                    static_cast<double>(result.failed_sequences) /
                        static_cast<double>(sequences),
                    result.failed_share_at_most);
  }
  std::string data;
  for (const auto& [copies, row] : rows) data += row;
  return fmt::format(
      "$copies << EOD\n{}EOD\nset key maxcols 1\nset logscale x 2\n"
      "set xlabel 'copies'\nset ylabel 'share of sequences that fail'\n"
      "set xrange [0.9:*]\nset yrange [-0.02:1]\n"
      "plot $copies using 1:2 with linespoints lw 2 ps 0.6 pt 4 lc rgb "
      "'#D55E00' title 'seen', $copies using 1:3 with linespoints lw 1 ps 0.6 "
      "pt 10 dt 2 lc rgb '#555555' title 'upper end of the 99 % interval'\n",
      data);
}

}  // namespace

std::string AdversaryPlot(const AdversaryOptions& options,
                          const std::vector<AdversaryResult>& results) {
  reproduction::Figure figure;
  figure.name = "adversary";
  figure.script = fmt::format(
      "{}{}set multiplot layout 2,1\n{}unset logscale\n{}unset multiplot\n",
      kTerminal, reproduction::kPreamble,
      QueriesScript(LinesOf(results), options.sequences),
      CopiesScript(results, options.sequences));
  reproduction::Report report;
  report.sections.emplace_back().blocks.emplace_back().figures.push_back(
      figure);
  reproduction::Draw(report);
  return report.sections.front().blocks.front().figures.front().svg;
}

}  // namespace manyarms::cli
