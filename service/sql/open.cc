#include "service/sql/database.h"
#include "service/sql/postgres_database.h"
#include "service/sql/sqlite_database.h"

namespace manyarms::sql {

bool IsPostgres(std::string_view place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

std::unique_ptr<Database> Open(const std::string& place,
                               Database::Access access) {
  if (IsPostgres(place))
    return std::make_unique<PostgresDatabase>(place, access);
  return std::make_unique<SqliteDatabase>(place, access);
}

}  // namespace manyarms::sql
