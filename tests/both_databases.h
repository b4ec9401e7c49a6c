#ifndef MANYARMS_TESTS_BOTH_DATABASES_H_
#define MANYARMS_TESTS_BOTH_DATABASES_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "in_a_folder.h"
#include "postgres_server.h"

namespace manyarms::testing {

/// A test that is done with a file of SQLite and with a schema of PostgreSQL,
/// both of its own. Those with PostgreSQL have "Postgres" in their names.
// NOLINTNEXTLINE(misc-multiple-inheritance): GoogleTest's way to parameters.
class BothDatabases : public InAFolder,
                      public ::testing::WithParamInterface<const char*> {
 protected:
  bool IsPostgres() const { return std::string(GetParam()) == "Postgres"; }

  /// A new place.
  std::string NewPlace() {
    if (IsPostgres()) return PostgresServer::Shared().NewSchema();
    return (folder_ / fmt::format("{}.db", ++places_)).string();
  }

 private:
  int places_ = 0;
};

inline auto DatabaseNames() { return ::testing::Values("Sqlite", "Postgres"); }

inline std::string NameOfDatabase(
    const ::testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_BOTH_DATABASES_H_
