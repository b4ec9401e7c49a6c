#include "evaluation_plot.h"

#include <fmt/format.h>

#include <array>

#include "reproduction/figures.h"

namespace manyarms::cli {
namespace {

constexpr std::array kLooks = {"lc rgb '#0072B2' pt 7", "lc rgb '#D55E00' pt 5",
                               "lc rgb '#009E73' pt 9",
                               "lc rgb '#555555' pt 13"};

// Rows from the top, each policy with a look of its own.
std::string Script(const NamedEstimate& logged,
                   const std::vector<NamedEstimate>& estimates, double level) {
  std::string data;
  std::string plots;
  std::size_t policies = 0;
  const std::size_t count = estimates.size();
  for (std::size_t i = 0; i < count;) {
    const std::string& policy = estimates[i].policy;
    data += fmt::format("$policy{} << EOD\n", policies);
    for (; i < count && estimates[i].policy == policy; ++i) {
      const Estimate& estimate = estimates[i].estimate;
      data += fmt::format("{:.9g} {} {:.9g} {:.9g} \"{}\"\n", estimate.value,
                          count - i, estimate.low, estimate.high,
                          estimates[i].estimator);
    }
    data += "EOD\n";
    plots += fmt::format(
        ", $policy{} using 1:2:3:4:ytic(5) with xerrorbars lw 2 ps 0.8 {} "
        "title '{}'",
        policies, kLooks.at(policies % kLooks.size()), policy);
    ++policies;
  }
  data += fmt::format("$logged << EOD\n{0:.9g} 0.4\n{0:.9g} {1}.6\nEOD\n",
                      logged.estimate.value, count);
  return fmt::format(
      "set terminal svg size 560,{} dynamic font 'sans-serif,14' background "
      "rgb 'white'\n{}{}set key maxcols 1\nset xlabel 'mean reward, {:g} % "
      "intervals'\nset yrange [0.4:{}.6]\nset lmargin 12\nplot $logged using "
      "1:2 with lines lw 2 dt 2 lc rgb '#000000' title '{}, {}'{}\n",
      160 + 28 * count + 22 * policies, reproduction::kPreamble, data,
      100 * level, count, logged.policy, logged.estimator, plots);
}

}  // namespace

std::string EvaluationPlot(const NamedEstimate& logged,
                           const std::vector<NamedEstimate>& estimates,
                           double level) {
  reproduction::Figure figure;
  figure.name = "evaluation";
  figure.script = Script(logged, estimates, level);
  reproduction::Report report;
  report.sections.emplace_back().blocks.emplace_back().figures.push_back(
      figure);
  reproduction::Draw(report);
  return report.sections.front().blocks.front().figures.front().svg;
}

}  // namespace manyarms::cli
