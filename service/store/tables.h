#ifndef MANYARMS_SERVICE_STORE_TABLES_H_
#define MANYARMS_SERVICE_STORE_TABLES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "service/sql/database.h"

namespace manyarms::service {

/// The version of the tables, which docs/store.md describes.
inline constexpr std::int64_t kTablesVersion = 1;

/// Makes the tables that are missing. Throws Error(kUnsupported) for those of a
/// later version.
void MakeTables(sql::Database& database);

/// A number in the table `meta`.
std::optional<std::int64_t> ReadMeta(sql::Database& database,
                                     std::string_view name);
void WriteMeta(sql::Database& database, std::string_view name,
               std::int64_t value);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_TABLES_H_
