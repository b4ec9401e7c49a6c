#ifndef MANYARMS_TESTS_POSTGRES_SERVER_H_
#define MANYARMS_TESTS_POSTGRES_SERVER_H_

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "paths.h"

namespace manyarms::testing {

/// A PostgreSQL server of its own, which ends with this object or with the
/// process, however that ends.
class PostgresServer {
 public:
  PostgresServer() {
    // The path of its socket has to be short.
    std::string name = "/tmp/manyarms-pg-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name);
    folder_ = name;
    // NOLINTNEXTLINE(bugprone-command-processor): the script is ours.
    feed_ = popen(Command("serve").c_str(), "we");
    if (feed_ == nullptr) throw std::runtime_error("popen failed");
    for (int tries = 0; !std::filesystem::exists(folder_ / "ready"); ++tries) {
      if (tries == 6000) {
        pclose(feed_);
        throw std::runtime_error("PostgreSQL does not start");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~PostgresServer() { pclose(feed_); }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// The URL of its database.
  std::string Url() const {
    return fmt::format("postgresql://postgres@/postgres?host={}",
                       folder_.string());
  }

  /// The URL of a new, empty schema.
  std::string NewSchema() {
    static std::atomic<int> made = 0;
    const std::string schema = fmt::format("s{}", ++made);
    Query(fmt::format("CREATE SCHEMA {}", schema));
    return fmt::format("{}&options=-csearch_path%3D{}", Url(), schema);
  }

  /// Carries out a query with psql.
  void Query(const std::string& query) {
    Run(fmt::format("psql -q -v ON_ERROR_STOP=1 '{}' -c \"{}\" >/dev/null",
                    Url(), query));
  }

  /// Ends all connections of clients.
  void EndConnections() {
    Query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
        "application_name = 'manyarms'");
  }

  /// As after a power cut.
  void Restart() { Run(Command("restart")); }

  /// The server of this process, started when it is first asked for.
  static PostgresServer& Shared() {
    static PostgresServer server;
    return server;
  }

 private:
  std::string Command(const std::string& action) const {
    return fmt::format("{}/../scripts/test-postgres {} {}",
                       TestFolder().string(), action, folder_.string());
  }
  static void Run(const std::string& command) {
    // NOLINTNEXTLINE(bugprone-command-processor,concurrency-mt-unsafe)
    if (std::system(command.c_str()) != 0) {
      throw std::runtime_error(fmt::format("this failed: {}", command));
    }
  }

  std::filesystem::path folder_;
  FILE* feed_ = nullptr;
};

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_POSTGRES_SERVER_H_
