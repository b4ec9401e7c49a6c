#include "service/store/foreign_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "manyarms/error.h"
#include "service/sql/database.h"

namespace manyarms::service {
namespace {

// Those that extensions have made are nobody's data.
constexpr const char* kTablesOfPostgres =
    "SELECT c.relname::text FROM pg_class AS c "
    "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') "
    "AND NOT EXISTS (SELECT 1 FROM pg_depend AS d "
    "WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY 1";
constexpr const char* kTablesOfSqlite =
    "SELECT name FROM sqlite_master WHERE type = 'table' "
    "AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY 1";

// All are made in one transaction, so that some of them are none of ours.
constexpr std::array<std::string_view, 4> kOurs{"meta", "bandits", "decisions",
                                                "deletions"};

bool IsToBeMade(const std::string& place) {
  if (sql::IsPostgres(place)) return false;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(place, error);
  return error || bytes == 0;
}

std::vector<std::string> TablesAt(const std::string& place) {
  const auto database = sql::Open(place, sql::Database::Access::kRead);
  const auto query = database->Prepare(
      sql::IsPostgres(place) ? kTablesOfPostgres : kTablesOfSqlite);
  std::vector<std::string> tables;
  while (query->Next()) tables.emplace_back(query->TextAt(0));
  return tables;
}

}  // namespace

void RefuseForeignTables(const std::string& place) {
  if (IsToBeMade(place)) return;
  const std::vector<std::string> tables = TablesAt(place);
  const bool is_ours = std::ranges::all_of(kOurs, [&](std::string_view name) {
    return std::ranges::find(tables, name) != tables.end();
  });
  if (tables.empty() || is_ours) return;
  throw Error(
      ErrorCode::kUnsupported,
      fmt::format(
          "{} has tables of another program, such as {}: give {}",
          sql::IsPostgres(place) ? "the schema of the database" : place,
          tables.front(),
          sql::IsPostgres(place) ? "one without tables" : "a new file"));
}

}  // namespace manyarms::service
