// What a store does when PostgreSQL ends its connections or is restarted.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <thread>

#include "becomes.h"
#include "manyarms/error.h"
#include "postgres_server.h"
#include "service/store/numbered_changes.h"
#include "service/store/store.h"

namespace manyarms::service {
namespace {

using testing::Becomes;
using testing::PostgresServer;

// Appends changes, while others wait for them, until it is destroyed.
class Load {
 public:
  explicit Load(Store& store)
      : store_(store), next_(store.last_appended() + 1), thread_([this] {
          while (!is_over_) AppendSome();
        }) {}
  ~Load() {
    is_over_ = true;
    thread_.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  Sequence acknowledged() const { return acknowledged_; }
  int refused() const { return refused_; }

 private:
  void AppendSome() {
    for (int i = 0; i < 20; ++i, next_ = NumberAfter(next_)) {
      store_.Append(NumberedChange(next_));
    }
    const Sequence last = store_.last_appended();
    try {
      store_.Wait(last);
      acknowledged_ = last;
    } catch (const Error&) {
      ++refused_;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  Store& store_;
  Sequence next_;
  std::atomic<bool> is_over_ = false;
  std::atomic<Sequence> acknowledged_ = 0;
  std::atomic<int> refused_ = 0;
  std::thread thread_;
};

// Disturbs a store under load, and returns what is wrong with it then. A brief
// disturbance is one that nobody who waits for a change is to hear of.
std::string Disturb(const std::string& place, int times, bool is_brief,
                    const std::function<void()>& disturb) {
  Store store({.place = place});
  std::mt19937 random(3);  // NOLINT(bugprone-random-generator-seed)
  int refused = 0;
  {
    const Load load(store);
    for (int i = 0; i < times; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
      disturb();
      const Sequence before = load.acknowledged();
      // It goes on before it is disturbed again.
      if (!Becomes([&] { return load.acknowledged() != before; })) {
        return "it does not go on";
      }
    }
    refused = load.refused();
  }
  if (is_brief && refused > 0) return fmt::format("{} were refused", refused);
  if (!Becomes([&] { return store.stats().waiting == 0; })) {
    return "it does not write what waits";
  }
  return WrongWithNumbered(store, store.last_appended());
}

TEST(PostgresStore, OutlivesItsConnections) {
  auto& server = PostgresServer::Shared();
  EXPECT_EQ(Disturb(server.NewSchema(), 5, /*is_brief=*/true,
                    [&] { server.EndConnections(); }),
            "");
}

TEST(PostgresStore, OutlivesItsServer) {
  PostgresServer server;
  EXPECT_EQ(Disturb(server.NewSchema(), 2, /*is_brief=*/false,
                    [&] { server.Restart(); }),
            "");
}

TEST(PostgresStore, SaysThatItCannotWriteThoughNobodyDoes) {
  auto& server = PostgresServer::Shared();
  const std::string place = server.NewSchema();
  Store store({.place = place});
  store.Wait(store.Append(NumberedChange(1)));
  const std::string schema = place.substr(place.rfind('D') + 1);
  server.Query("ALTER SCHEMA " + schema + " RENAME TO elsewhere");
  server.EndConnections();
  EXPECT_TRUE(Becomes([&] { return !store.failure().empty(); }));
  EXPECT_FALSE(store.failed_for_good());
  server.Query("ALTER SCHEMA elsewhere RENAME TO " + schema);
  EXPECT_TRUE(Becomes([&] { return store.failure().empty(); }));
  store.Wait(store.Append(NumberedChange(2)));
}

TEST(PostgresStore, EndsIfSomebodyElseWroteMeanwhile) {
  auto& server = PostgresServer::Shared();
  const std::string place = server.NewSchema();
  Store store({.place = place});
  store.Wait(store.Append(NumberedChange(1)));
  const std::string schema = place.substr(place.rfind('D') + 1);
  server.Query("UPDATE " + schema + ".meta SET value = 7 WHERE name = 'epoch'");
  server.EndConnections();
  EXPECT_TRUE(Becomes([&] {
    const Sequence change = store.Append(NumberedChange(2));
    EXPECT_THROW(store.Wait(change), Error);
    return store.failed_for_good();
  }));
  EXPECT_NE(store.failure().find("another process"), std::string::npos);
}

}  // namespace
}  // namespace manyarms::service
