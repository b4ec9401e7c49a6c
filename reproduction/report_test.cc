#include "reproduction/report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "paths.h"
#include "reproduction/figures.h"
#include "reproduction/grid.h"
#include "reproduction/runner.h"
#include "reproduction/write.h"
#include "testing.h"

namespace manyarms::reproduction {
namespace {

namespace fs = std::filesystem;

class Silent : public RunObserver {
 public:
  void Update(double /*done*/, std::size_t /*finished*/) override {}
  void Failed(const Job& job, const std::string& reason) override {
    ADD_FAILURE() << job.label << ": " << reason;
  }
};

struct Reproduced {
  std::vector<Table> tables;
  RowsBySettings rows;
  std::vector<TableSummary> summaries;
};

fs::path OwnFolder() {
  return fs::path(::testing::TempDir()) /
         ("manyarms-report-" + std::to_string(getpid()));
}

// Small versions of all tables, which are run once for all tests.
const Reproduced& TinyTables() {
  static const Reproduced reproduced = [] {
    Reproduced made;
    const fs::path tests = testing::TestFolder();
    made.tables = ReadTables(tests / "experiments");
    // They are made even smaller, because each test that runs alone needs all.
    for (Table& table : made.tables) {
      for (Setting& setting : table.settings) {
        Json& arms = setting.world.at("arms");
        if (!table.is_movielens()) arms = arms.get<int>() / 10;
        setting.world["steps"] = 50;
      }
    }
    const std::vector<Job> jobs =
        PlanRuns(made.tables, {.runs = kRunsToJudge, .users = kRunsToJudge});
    Worlds worlds(tests / "data");
    worlds.Prepare(jobs, 1);
    const fs::path folder = OwnFolder();
    fs::create_directories(folder);
    Silent observer;
    const std::atomic<bool> stop = false;
    {
      RowFile rows(folder / "rows.jsonl");
      RunJobs(jobs, worlds, 1, rows, observer, stop);
    }
    made.rows = ReadRowFile(folder / "rows.jsonl").rows;
    fs::remove_all(folder);
    EXPECT_EQ(made.rows.size(), jobs.size());
    made.summaries = Summarise(made.tables, made.rows);
    return made;
  }();
  return reproduced;
}

Report TinyReport() {
  return MakeReport(TinyTables().summaries, TinyTables().rows);
}

std::vector<Figure> FiguresOf(const Report& report) {
  std::vector<Figure> figures;
  for (const Section& section : report.sections) {
    for (const Block& block : section.blocks) {
      figures.insert(figures.end(), block.figures.begin(), block.figures.end());
    }
  }
  return figures;
}

const Section* FindSection(const Report& report, const std::string& id) {
  const auto found = std::ranges::find(report.sections, id, &Section::id);
  return found == report.sections.end() ? nullptr : &*found;
}

std::size_t ColumnOf(const TextTable& table, const std::string& name) {
  const auto found = std::ranges::find(table.header, name);
  EXPECT_NE(found, table.header.end()) << name;
  return static_cast<std::size_t>(found - table.header.begin());
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t Occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Counts characters, not bytes.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
    return (static_cast<unsigned>(c) & 0xc0U) != 0x80U;
  }));
}

TEST(MakeReport, HasASectionForEachTable) {
  const Report report = TinyReport();
  std::set<std::string> ids;
  for (const Section& section : report.sections) {
    EXPECT_TRUE(ids.insert(section.id).second) << section.id << " occurs twice";
  }
  EXPECT_EQ(ids, (std::set<std::string>{"glance", "table-1", "table-2",
                                        "table-3", "table-4", "table-5", "grid",
                                        "theory", "reading"}));
}

TEST(MakeReport, ShowsEveryAlgorithmBesideThePapersFigures) {
  const Report report = TinyReport();
  for (const Table& table : TinyTables().tables) {
    if (table.id == "grid") continue;
    const Section* section = FindSection(report, "table-" + table.id);
    ASSERT_NE(section, nullptr) << table.id;
    EXPECT_TRUE(Has(section->title, table.title));
    EXPECT_EQ(section->about, table.about);
    ASSERT_EQ(section->blocks.size(), table.settings.size());
    for (std::size_t i = 0; i < table.settings.size(); ++i) {
      const Block& block = section->blocks[i];
      const Setting& setting = table.settings[i];
      SCOPED_TRACE("Table " + table.id + ", " + setting.name);
      EXPECT_EQ(block.heading, setting.name);
      ASSERT_EQ(block.table.rows.size(), setting.algorithms.size());
      const auto column = [&](const std::string& name) {
        return ColumnOf(block.table, name);
      };
      for (std::size_t k = 0; k < setting.algorithms.size(); ++k) {
        const std::vector<std::string>& row = block.table.rows[k];
        const auto& paper = setting.algorithms[k].paper;
        EXPECT_EQ(row[0], setting.algorithms[k].name);
        EXPECT_EQ(row[column("regret, paper")].empty(), !paper.has_value());
        EXPECT_EQ(row[column("seconds, paper")].empty(), !paper.has_value());
        // It has runs.
        EXPECT_NE(
            row[column(table.is_movielens() ? "regret" : "regret, new θ*")],
            "–");
        EXPECT_NE(row[column("seconds")], "–");
      }
    }
  }
}

// The figures of Table 1's first graph, as the paper prints them.
TEST(MakeReport, PrintsThePapersFiguresAsThePaperDoes) {
  const Report report = TinyReport();
  const TextTable& table = FindSection(report, "table-1")->blocks[0].table;
  const std::vector<std::string>& row = table.rows[1];
  ASSERT_EQ(row[0], "Sub-Elim, shortlist 30");
  EXPECT_EQ(row[ColumnOf(table, "regret, paper")], "3,758\u00a0±\u00a0190");
  EXPECT_EQ(row[ColumnOf(table, "seconds, paper")], "2.22 (1.99)");
  EXPECT_EQ(row[ColumnOf(table, "× its scan, paper")], "5.28 (5.89)");
  EXPECT_EQ(row[ColumnOf(table, "runs")], "5\u00a0+\u00a05");
}

TEST(MakeReport, HasNoColumnForASharedParameterWithMovies) {
  const Report report = TinyReport();
  for (const Section& section : report.sections) {
    if (!section.id.starts_with("table-")) continue;
    for (const Block& block : section.blocks) {
      EXPECT_EQ(std::ranges::count(block.table.header, "regret, one θ*"),
                section.id == "table-3" ? 0 : 1);
    }
  }
}

TEST(MakeReport, HasTablesWithRowsOfEqualLength) {
  for (const Section& section : TinyReport().sections) {
    for (const Block& block : section.blocks) {
      for (const auto& row : block.table.rows) {
        EXPECT_EQ(row.size(), block.table.header.size())
            << section.id << ", " << block.heading;
      }
    }
  }
}

// Regrets of such small tables differ from the paper's. Certified search makes
// the scan's decisions whatever the size.
TEST(MakeReport, ListsEveryCellWhoseVerdictDoesNotHold) {
  const Report report = TinyReport();
  std::size_t off = 0;
  std::size_t judged = 0;
  for (const TableSummary& summary : TinyTables().summaries) {
    if (summary.table.id == "grid") continue;
    for (const SettingSummary& setting : summary.settings) {
      for (const Cell& cell : setting.cells) {
        const auto verdict = Judge(cell, setting);
        judged += verdict ? 1 : 0;
        off += verdict && !verdict->holds ? 1 : 0;
        if (cell.is_certified()) {
          EXPECT_TRUE(verdict->holds)
              << summary.table.id << ", " << setting.setting.name << ", "
              << cell.algorithm.name;
        }
      }
    }
  }
  const Section& glance = *FindSection(report, "glance");
  EXPECT_GT(off, 0U);
  ASSERT_EQ(glance.blocks.size(), 1U);
  EXPECT_EQ(glance.blocks[0].table.rows.size(), off);
  EXPECT_TRUE(glance.about.starts_with(std::to_string(judged - off) + " of " +
                                       std::to_string(judged) + " cells"));
  EXPECT_FALSE(Has(glance.about, "have not been run"));
}

TEST(MakeReport, SaysWhatIsMissing) {
  const Reproduced& tiny = TinyTables();
  RowsBySettings rows = tiny.rows;
  std::erase_if(rows, [](const auto& row) {
    return row.second.at("settings").at("bandit").at("search") != "scan";
  });
  const Report report = MakeReport(Summarise(tiny.tables, rows), rows);
  std::size_t missing = 0;
  for (const Table& table : tiny.tables) {
    for (const Setting& setting : table.settings) {
      for (const Algorithm& algorithm : setting.algorithms) {
        const bool scan = algorithm.bandit.at("search") == "scan";
        missing += table.id != "grid" && !scan ? 1 : 0;
      }
    }
  }
  EXPECT_TRUE(Has(FindSection(report, "glance")->about,
                  std::to_string(missing) + " cells have not been run"));
  // The grid has only certified searches, which were all erased.
  EXPECT_EQ(FindSection(report, "grid"), nullptr);
}

TEST(MakeReport, AcceptsNoRows) {
  const std::vector<TableSummary> none = Summarise(TinyTables().tables, {});
  const Report report = MakeReport(none, {});
  EXPECT_EQ(FindSection(report, "table-1"), nullptr);
  EXPECT_TRUE(Has(Markdown(report), "0 runs."));
  EXPECT_TRUE(FiguresOf(report).empty());
}

TEST(MakeReport, SaysWhereRowsComeFrom) {
  RowsBySettings rows;
  Json row = TinyTables().rows.begin()->second;
  row["origin"]["cpu"] = "Abacus";
  row["origin"]["threads"] = 1;
  rows["a"] = row;
  rows["b"] = row;
  row["origin"]["threads"] = 2;
  rows["c"] = row;
  const Report report = MakeReport({}, rows);
  ASSERT_EQ(report.origin.size(), 4U);
  EXPECT_EQ(report.origin[0], "3 runs.");
  EXPECT_TRUE(report.origin[1].starts_with("Abacus, "));
  EXPECT_TRUE(report.origin[1].ends_with("; 1 run at a time"));
  EXPECT_TRUE(report.origin[2].ends_with("; 2 runs at a time"));
  EXPECT_TRUE(report.origin[3].starts_with("manyarms "));
}

// A grid whose regrets are these multiples of the paper's, by setting and
// algorithm.
TableSummary Grid(const std::vector<std::vector<double>>& shares) {
  const std::vector<TableSummary>& tables = TinyTables().summaries;
  TableSummary grid = *std::ranges::find_if(
      tables, [](const TableSummary& t) { return t.table.id == "grid"; });
  grid.settings.resize(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    for (std::size_t k = 0; k < shares[i].size(); ++k) {
      Cell& cell = grid.settings[i].cells[k];
      cell.new_theta.resize(1);
      cell.new_theta[0]["regret"] = shares[i][k] * cell.algorithm.paper->regret;
    }
  }
  return grid;
}

TEST(ChosenSetting, HasTheLeastMisfit) {
  // The first setting is best for one algorithm, but for the other a factor of
  // 1/3 is worse than 1/2 or 2.
  TableSummary grid = Grid({{1, 1.0 / 3}, {0.5, 1.9}, {2.1, 1}});
  EXPECT_EQ(ChosenSetting(grid), &grid.settings[1]);
  // A setting with missing runs does not count.
  grid.settings[1].cells[0].new_theta.clear();
  EXPECT_EQ(ChosenSetting(grid), &grid.settings[2]);
  for (SettingSummary& setting : grid.settings) {
    setting.cells[1].new_theta.clear();
  }
  EXPECT_EQ(ChosenSetting(grid), nullptr);
}

TEST(GridSection, MarksTheChosenSettingOnce) {
  const std::string text = Markdown(TinyReport());
  // The mark is in the setting's cell and in the remark below.
  EXPECT_EQ(Occurrences(text, "◀"), 2U);
  EXPECT_TRUE(Has(text, "Chosen (◀): "));
}

TEST(Markdown, HasEveryTableAndAlgorithm) {
  const std::string text = Markdown(TinyReport());
  for (const Table& table : TinyTables().tables) {
    EXPECT_TRUE(Has(text, table.title)) << table.id;
    if (table.id == "grid") continue;
    EXPECT_TRUE(Has(text, "## Table " + table.id + ": ")) << table.id;
    for (const Setting& setting : table.settings) {
      EXPECT_TRUE(Has(text, "### " + setting.name + "\n")) << setting.name;
      for (const Algorithm& algorithm : setting.algorithms) {
        EXPECT_TRUE(Has(text, "\n| " + algorithm.name + " ")) << algorithm.name;
      }
    }
  }
}

TEST(Markdown, HasTablesWhoseColumnsLineUp) {
  std::istringstream text(Markdown(TinyReport()));
  std::string line;
  std::size_t tables = 0;
  std::ptrdiff_t columns = 0;  // of the current table; 0 outside tables
  std::size_t width = 0;
  while (std::getline(text, line)) {
    if (!line.starts_with('|')) {
      columns = 0;
      continue;
    }
    const auto bars = std::ranges::count(line, '|');
    if (columns == 0) {
      ++tables;
      columns = bars;
      width = Width(line);
      // A line of dashes follows the header.
      ASSERT_TRUE(std::getline(text, line));
      EXPECT_TRUE(line.starts_with("|-"));
      EXPECT_EQ(line.find_first_not_of("|-"), std::string::npos);
      EXPECT_EQ(std::ranges::count(line, '|'), columns);
      EXPECT_EQ(Width(line), width);
      continue;
    }
    EXPECT_EQ(bars, columns) << line;
    EXPECT_EQ(Width(line), width) << line;
    EXPECT_TRUE(line.ends_with('|')) << line;
  }
  // The glance, the theory and the grid have one table each; Tables 1 to 5 have
  // 2, 2, 2, 1 and 3 settings.
  EXPECT_EQ(tables, 13U);
}

TEST(Draw, FillsInEveryFigure) {
  Report report = TinyReport();
  EXPECT_GT(FiguresOf(report).size(), 20U);
  Draw(report);
  std::set<std::string> names;
  for (const Figure& figure : FiguresOf(report)) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name << " twice";
    EXPECT_FALSE(figure.caption.empty()) << figure.name;
    EXPECT_TRUE(Has(figure.svg, "<svg")) << figure.name;
    EXPECT_TRUE(Has(figure.svg, "</svg>")) << figure.name;
    // The figure is not empty.
    EXPECT_TRUE(Has(figure.svg, "<path")) << figure.name;
  }
}

TEST(Draw, PassesOnGnuplotsMessage) {
  Report report;
  report.sections.push_back(
      {"s", "", "", {{"", {}, {}, {{"f", "", "plot nonsense(\n", ""}}}}});
  manyarms::testing::ExpectError(ErrorCode::kIo,
                                 {"gnuplot cannot draw", "nonsense"},
                                 [&] { Draw(report); });
}

Report SmallReport() {
  Report report;
  report.title = "A < B & \"C\"";
  report.origin = {"from <here>"};
  report.sections.push_back({"one",
                             "First <1>",
                             "x < y",
                             {{"Heading <h>",
                               {{"a", "b"}, {{"<td>", "2"}, {"3", "4"}}},
                               {"remark <script>"},
                               {{"figure-1", "Caption <c>", "", "ab"},
                                {"figure-2", "Caption 2", "", "abc"},
                                {"figure-3", "Caption 3", "", "abcd\xff"}}}}});
  report.sections.push_back({"two", "Second", "", {}});
  return report;
}

TEST(Html, EscapesAllTexts) {
  const std::string page = Html(SmallReport());
  EXPECT_TRUE(Has(page, "<title>A &lt; B &amp; &quot;C&quot;</title>"));
  EXPECT_TRUE(Has(page, "x &lt; y"));
  EXPECT_TRUE(Has(page, "<td>&lt;td&gt;</td>"));
  for (const char* raw :
       {"<script", "<here>", "<1>", "<h>", "<c>", "A < B", "x < y"}) {
    EXPECT_FALSE(Has(page, raw)) << raw;
  }
}

// The expected texts are "ab", "abc" and "abcd\xff" in base64, computed by
// coreutils' base64.
TEST(Html, EmbedsEveryFigure) {
  const std::string page = Html(SmallReport());
  EXPECT_TRUE(Has(page, "src=\"data:image/svg+xml;base64,YWI=\""));
  EXPECT_TRUE(Has(page, "src=\"data:image/svg+xml;base64,YWJj\""));
  EXPECT_TRUE(Has(page, "src=\"data:image/svg+xml;base64,YWJjZP8=\""));
  EXPECT_EQ(Occurrences(page, "<figure "), 3U);
  EXPECT_EQ(Occurrences(page, "<figcaption>"), 3U);
}

TEST(Html, HasASectionForEachTableAndALinkToIt) {
  const Report report = TinyReport();
  const std::string page = Html(report);
  for (const Section& section : report.sections) {
    EXPECT_EQ(Occurrences(page, "<section id=\"" + section.id + "\">"), 1U);
    EXPECT_EQ(Occurrences(page, "<a href=\"#" + section.id + "\">"), 1U);
  }
  for (const Figure& figure : FiguresOf(report)) {
    EXPECT_EQ(Occurrences(page, "<figure id=\"" + figure.name + "\">"), 1U);
  }
}

TEST(Html, FetchesNothing) {
  const std::string page = Html(TinyReport());
  EXPECT_FALSE(Has(page, "http:"));
  EXPECT_FALSE(Has(page, "https:"));
  EXPECT_FALSE(Has(page, "<script"));
  EXPECT_EQ(Occurrences(page, "src=\""), Occurrences(page, "src=\"data:"));
}

TEST(Html, ClosesEveryTagItOpens) {
  const std::string page = Html(TinyReport());
  for (const std::string tag :
       {"html",  "head", "body", "nav", "section", "h1",        "h2",
        "h3",    "p",    "ul",   "li",  "div",     "table",     "thead",
        "tbody", "tr",   "th",   "td",  "figure",  "figcaption"}) {
    EXPECT_EQ(
        Occurrences(page, "<" + tag + ">") + Occurrences(page, "<" + tag + " "),
        Occurrences(page, "</" + tag + ">"))
        << tag;
  }
}

TEST(WriteReport, WritesThePageTheTablesAndTheirPlots) {
  const Reproduced& tiny = TinyTables();
  const fs::path folder = OwnFolder();
  fs::create_directories(folder);
  const WrittenReport written = WriteReport(folder, tiny.tables, tiny.rows);
  const auto text = [](const fs::path& path) {
    std::ostringstream stream;
    stream << std::ifstream(path).rdbuf();
    return stream.str();
  };
  EXPECT_EQ(written.tables, Markdown(TinyReport()));
  EXPECT_EQ(text(folder / "tables.md"), written.tables);
  EXPECT_EQ(written.page, folder / "report.html");
  EXPECT_TRUE(text(written.page).ends_with("</html>\n"));
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  const std::vector<Figure> figures = FiguresOf(TinyReport());
  for (const Figure& figure : figures) {
    EXPECT_TRUE(Has(text(folder / "plots" / (figure.name + ".svg")), "</svg>"));
  }
  // There are no other files.
  EXPECT_EQ(files, figures.size() + 2);
  fs::remove_all(folder);
}

TEST(WriteReport, ThrowsIfTheFolderDoesNotExist) {
  manyarms::testing::ExpectError(
      ErrorCode::kIo, {"cannot write", "missing", "tables.md"},
      [] { WriteReport(OwnFolder() / "missing", TinyTables().tables, {}); });
}

}  // namespace
}  // namespace manyarms::reproduction
