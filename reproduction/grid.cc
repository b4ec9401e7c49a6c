#include "reproduction/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reproduction/statistics.h"
#include "reproduction/text.h"

namespace manyarms::reproduction {
namespace {

double Misfit(const SettingSummary& setting) {
  double worst = 0;
  for (const Cell& cell : setting.cells) {
    if (!cell.has_runs() || !cell.algorithm.paper) {
      return std::numeric_limits<double>::infinity();
    }
    const double ratio =
        Mean(Regrets(cell.new_theta)) / cell.algorithm.paper->regret;
    worst = std::max(worst, std::abs(std::log(ratio)));
  }
  return worst;
}

std::string FeaturesText(const Json& features) {
  const bool longest = features.contains("longest");
  return fmt::format(
      "{}, ridge {}, {} length {}", features.at("target").get<std::string>(),
      features.at("regularisation").get<double>(),
      longest ? "longest" : "typical",
      features.at(longest ? "longest" : "typical").get<double>());
}

std::string ErrorsText(const SettingSummary& setting) {
  for (const Cell& cell : setting.cells) {
    if (!cell.has_runs()) continue;
    const Json& data = cell.new_theta.front().at("data");
    return fmt::format("{:.3f} / {:.3f}",
                       data.at("training_error").get<double>(),
                       data.at("held_out_error").get<double>());
  }
  return "–";
}

std::string RegretsText(const SettingSummary& setting) {
  std::vector<std::string> regrets;
  regrets.reserve(setting.cells.size());
  for (const Cell& cell : setting.cells) {
    regrets.push_back(cell.has_runs() ? Grouped(Mean(Regrets(cell.new_theta)))
                                      : "–");
  }
  return fmt::format("{}", fmt::join(regrets, " / "));
}

std::string ExplorationOf(const SettingSummary& setting) {
  const Json& exploration =
      setting.cells.front().algorithm.bandit.at("exploration");
  return exploration.is_string() ? exploration.get<std::string>()
                                 : exploration.dump();
}

}  // namespace

const SettingSummary* ChosenSetting(const TableSummary& grid) {
  const auto best = std::ranges::min_element(grid.settings, {}, Misfit);
  if (best == grid.settings.end() || !std::isfinite(Misfit(*best))) {
    return nullptr;
  }
  return &*best;
}

Section GridSection(const TableSummary& grid) {
  Section section{"grid", grid.table.title, grid.table.about, {}};
  const SettingSummary* chosen = ChosenSetting(grid);
  TextTable table;
  table.header = {"features", "error, training / held out"};
  std::map<std::string, std::size_t> row_of;
  for (const SettingSummary& setting : grid.settings) {
    const Json& features = setting.setting.world.at("features");
    const auto [place, is_new] =
        row_of.try_emplace(features.dump(), table.rows.size());
    if (is_new) {
      table.rows.push_back({FeaturesText(features), ErrorsText(setting)});
    }
    if (place->second == 0) {
      table.header.push_back("exploration " + ExplorationOf(setting));
    }
    table.rows[place->second].push_back(RegretsText(setting) +
                                        (&setting == chosen ? " ◀" : ""));
  }
  Block block{"Mean regret of Linear Elim / Linear TS", table, {}, {}};
  block.remarks.emplace_back(
      "Features: “stars” are fitted to the stars of rated movies, "
      "“liked-rated” to whether there were four stars or more, and “liked-all” "
      "to the same for all movies, where a movie that was not rated counts as "
      "not liked; this is what the regret counts. Length: features are scaled "
      "so that the longest arm has this length, as assumption 3 has it, or so "
      "that the root mean square has it, as in the synthetic world.");
  if (chosen != nullptr) {
    block.remarks.push_back(
        fmt::format("Chosen (◀): {}, exploration {}; worse misfit {:.0f} %.",
                    FeaturesText(chosen->setting.world.at("features")),
                    ExplorationOf(*chosen), 100 * std::expm1(Misfit(*chosen))));
  }
  section.blocks.push_back(std::move(block));
  return section;
}

std::vector<std::string> DataRemarks(const SettingSummary& setting) {
  const Json& world = setting.setting.world;
  if (world.at("kind") != "movielens") return {};
  return {
      fmt::format("Features: {}; root mean square error in training / for "
                  "the held-out users: {}.",
                  FeaturesText(world.at("features")), ErrorsText(setting))};
}

}  // namespace manyarms::reproduction
