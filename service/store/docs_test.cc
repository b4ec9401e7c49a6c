// docs/store.md has the tables as they are, and queries that work.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "both_databases.h"
#include "paths.h"
#include "service/sql/database.h"
#include "service/store/store.h"

namespace manyarms::service {
namespace {

struct Page {
  std::map<std::string, std::vector<std::string>> columns;  // of tables
  std::vector<std::string> queries;
};

Page ReadPage() {
  Page page;
  std::ifstream file(testing::TestFolder() / "../docs/store.md");
  std::string table;
  bool is_query = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      is_query = line == "```sql";
      if (is_query) page.queries.emplace_back();
    } else if (is_query) {
      page.queries.back() += line + "\n";
    } else if (line.starts_with("### `")) {
      table = line.substr(5, line.rfind('`') - 5);
    } else if (line.starts_with("## ")) {
      table.clear();
    } else if (!table.empty() && line.starts_with("| `")) {
      page.columns[table].push_back(line.substr(3, line.find('`', 3) - 3));
    }
  }
  return page;
}

class StorePage : public testing::BothDatabases {};

TEST_P(StorePage, HasTheTables) {
  const std::string place = NewPlace();
  const Store store({.place = place});
  const auto database = sql::Open(place, sql::Database::Access::kRead);
  const auto query = database->Prepare(
      IsPostgres() ? "SELECT table_name::text, column_name::text FROM "
                     "information_schema.columns WHERE table_schema = "
                     "current_schema() ORDER BY table_name, ordinal_position"
                   : "SELECT m.name, c.name FROM sqlite_schema AS m JOIN "
                     "pragma_table_info(m.name) AS c WHERE m.type = 'table' "
                     "ORDER BY m.name, c.cid");
  std::map<std::string, std::vector<std::string>> columns;
  while (query->Next()) {
    columns[std::string(query->TextAt(0))].emplace_back(query->TextAt(1));
  }
  EXPECT_EQ(ReadPage().columns, columns);
}

TEST_P(StorePage, HasQueriesThatWork) {
  const std::string place = NewPlace();
  {
    Store store({.place = place});
    store.Append(BanditCreated{.bandit = 1, .name = "shop"});
    DecisionRow row;
    row.bandit = 1;
    row.learner = "user-42";
    row.features = {1};
    row.arm_name = "blue";
    const Sequence decision = store.Append(DecisionsMade{.decisions = {row}});
    store.Append(RewardRow{
        .bandit = 1, .decision = decision, .learner = "user-42", .reward = 1});
  }
  const auto database = sql::Open(place, sql::Database::Access::kRead);
  const Page page = ReadPage();
  EXPECT_EQ(page.queries.size(), 3U);
  for (std::string text : page.queries) {
    text.resize(text.rfind(';'));
    const auto query = database->Prepare(text);
    EXPECT_TRUE(query->Next()) << text;
    query->Reset();
  }
}

INSTANTIATE_TEST_SUITE_P(Databases, StorePage, testing::DatabaseNames(),
                         testing::NameOfDatabase);

}  // namespace
}  // namespace manyarms::service
