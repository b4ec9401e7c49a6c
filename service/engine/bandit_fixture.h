#ifndef MANYARMS_SERVICE_ENGINE_BANDIT_FIXTURE_H_
#define MANYARMS_SERVICE_ENGINE_BANDIT_FIXTURE_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "in_a_folder.h"
#include "service/engine/served_bandit.h"
#include "service/store/store.h"

namespace manyarms::service {

/// A store in a file, a bandit that writes to it, and a clock that stands still
/// until it is set.
class World {
 public:
  World(std::filesystem::path folder, const Settings& settings,
        const Limits& limits = {})
      : folder_(std::move(folder)), limits_(limits) {
    std::filesystem::create_directories(folder_);
    OpenStore(folder_ / "0.db");
    store_->Append(BanditCreated{
        .bandit = 1, .name = "b", .settings = ToJson(settings), .time = *now_});
    bandit_ = MakeBandit(settings);
  }

  ServedBandit& operator*() { return *bandit_; }
  ServedBandit* operator->() { return bandit_.get(); }
  Store& store() { return *store_; }
  Time now() const { return *now_; }
  void Advance(double seconds) { *now_ = *now_ + seconds; }
  /// Calls hook() whenever the bandit looks at the clock. REQUIRES: it is idle.
  void OnClock(std::function<void()> hook) { *hook_ = std::move(hook); }

  void WaitForStore() { store_->Wait(store_->last_appended()); }

  /// The process ends as it should, and another one begins.
  void Restart() {
    bandit_->SaveLearners(true);
    bandit_.reset();
    store_.reset();
    OpenStore(place_);
    Restore();
  }

  /// The process is gone in the middle of things, and another one begins with
  /// what was durable: all of it.
  void KillAndRestart() {
    WaitForStore();
    const std::filesystem::path copy =
        folder_ / fmt::format("{}.db", ++copies_);
    store_->Backup(copy);
    bandit_.reset();
    store_.reset();
    OpenStore(copy);
    Restore();
  }

 private:
  void OpenStore(const std::filesystem::path& place) {
    place_ = place;
    store_ = std::make_unique<Store>(StoreOptions{.place = place.string()});
  }

  std::unique_ptr<ServedBandit> MakeBandit(const Settings& settings) {
    return std::make_unique<ServedBandit>(1, "b", settings, limits_, *store_,
                                          [now = now_, hook = hook_] {
                                            if (*hook) (*hook)();
                                            return now->load();
                                          });
  }

  void Restore() {
    const std::vector<BanditRow> rows = store_->Bandits();
    ASSERT_EQ(rows.size(), 1U);
    bandit_ = MakeBandit(ParseSettings(rows.front().settings));
    bandit_->Restore(rows.front().checkpoint);
  }

  const std::filesystem::path folder_;
  const Limits limits_;
  std::shared_ptr<std::atomic<Time>> now_ =
      std::make_shared<std::atomic<Time>>(1'790'000'000);
  std::shared_ptr<std::function<void()>> hook_ =
      std::make_shared<std::function<void()>>();
  int copies_ = 0;
  std::filesystem::path place_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<ServedBandit> bandit_;
};

/// Arms "a0", "a1", ... with features that depend on their number alone.
inline std::vector<float> FeaturesOf(std::size_t arm, std::size_t dim) {
  std::vector<float> features(dim);
  for (std::size_t i = 0; i < dim; ++i) {
    features[i] =
        static_cast<float>((arm * 7919 + i * 104729) % 1000) / 500.0F - 1;
  }
  return features;
}

inline std::vector<ArmInfo> SomeArms(std::size_t count, std::size_t dim) {
  std::vector<ArmInfo> arms;
  for (std::size_t i = 0; i < count; ++i) {
    // NOLINTNEXTLINE(performance-inefficient-vector-operation)
    arms.push_back({.arm = fmt::format("a{}", i),
                    .features = FeaturesOf(i, dim),
                    .tags = {i % 2 == 0 ? "even" : "odd"}});
  }
  return arms;
}

/// Checks that work() is refused for this reason, with this text in it.
template <class Work>
void ExpectRefused(Refusal why, const std::string& part, const Work& work) {
  try {
    work();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.why(), why) << refused.what();
    EXPECT_NE(std::string(refused.what()).find(part), std::string::npos)
        << refused.what();
    return;
  }
  FAIL() << "nothing was refused";
}

class ServedBanditTest : public testing::InAFolder {
 public:
  static constexpr std::size_t kDim = 4;

 protected:
  /// A bandit with 20 arms, and these settings beside dim.
  World& Make(const std::string& fields = "", const Limits& limits = {}) {
    world_.emplace(folder_, ParseSettings("{\"dim\":4" + fields + "}"), limits);
    (*world_)->PutArms(SomeArms(20, kDim), true);
    return *world_;
  }

 private:
  std::optional<World> world_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_BANDIT_FIXTURE_H_
