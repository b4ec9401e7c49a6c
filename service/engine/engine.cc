#include "service/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "manyarms/error.h"
#include "service/engine/names.h"
#include "service/engine/settings.h"

namespace manyarms::service {
namespace {

constexpr std::chrono::milliseconds kExpiryStep(100);
// What is too old is deleted this often, but ten times in the time for which it
// is kept.
constexpr double kRetentionStep = 3600;
constexpr double kDay = 86400;

Time SystemTime() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void CheckBanditName(const std::string& name) {
  constexpr std::size_t kMostBytes = 64;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  if (!name.empty() && name.size() <= kMostBytes && name.front() != '.' &&
      std::ranges::all_of(name, is_allowed)) {
    return;
  }
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("the name {} of a bandit must be 1 to {} of a-z, A-Z, "
                  "0-9, - _ and ., and not begin with .",
                  Quoted(name.substr(0, 2 * kMostBytes)), kMostBytes));
}

}  // namespace

class Engine::State {
 public:
  State(Store& to, const EngineOptions& given)
      : store(to),
        options(given),
        clock(given.clock ? given.clock : SystemTime) {}

  using Bandit = std::shared_ptr<ServedBandit>;

  std::vector<Bandit> All() const {
    const std::shared_lock lock(mutex);
    std::vector<Bandit> all;
    all.reserve(bandits.size());
    for (const auto& [name, bandit] : bandits) all.push_back(bandit);
    return all;
  }

  // Calls work(bandit) for each. Whatever fails, such as a store that cannot
  // write, is tried again the next time; those who ask hear of it.
  template <class Work>
  void ForEach(const Work& work) const {
    for (const Bandit& bandit : All()) {
      try {
        work(*bandit);
      } catch (const std::exception&) {
      }
    }
  }

  // Calls work() every so often until the engine ends.
  template <class Work>
  void Repeat(const std::stop_token& stop,
              std::chrono::steady_clock::duration step, const Work& work) {
    while (true) {
      {
        std::unique_lock lock(sleeping);
        waker.wait_for(lock, stop, step, [] { return false; });
      }
      if (stop.stop_requested()) return;
      work();
    }
  }

  void DeleteOld() {
    if (options.retention_days <= 0) return;
    // Nothing after a bandit's checkpoint is deleted.
    ForEach([](ServedBandit& bandit) { bandit.SaveLearners(true); });
    try {
      store.Wait(store.last_appended());
      Time before = clock() - options.retention_days * kDay;
      // A decision that waits for its reward stays, and all that came later.
      ForEach([&](const ServedBandit& bandit) {
        before = std::min(before, bandit.OldestOpen().value_or(before));
      });
      store.DeleteOlderThan(before);
    } catch (const std::exception&) {
    }
  }

  void KeepUp(const std::stop_token& stop) {
    using std::chrono::duration;
    using std::chrono::steady_clock;
    const auto saving = std::chrono::duration_cast<steady_clock::duration>(
        duration<double>(options.save_seconds));
    const auto retention =
        std::chrono::duration_cast<steady_clock::duration>(duration<double>(
            std::min(kRetentionStep, options.retention_days * kDay / 10)));
    DeleteOld();
    auto next_retention = steady_clock::now() + retention;
    Repeat(stop, saving, [&] {
      ForEach([](ServedBandit& bandit) { bandit.SaveLearners(false); });
      const auto now = steady_clock::now();
      if (now < next_retention) return;
      DeleteOld();
      next_retention = now + retention;
    });
  }

  Store& store;
  const EngineOptions options;
  const std::function<Time()> clock;

  mutable std::shared_mutex mutex;
  std::map<std::string, Bandit, std::less<>> bandits;
  BanditNumber last_bandit = 0;

  std::mutex sleeping;
  std::condition_variable_any waker;
  // Saving may take seconds, for which default rewards should not wait.
  std::jthread expiry;
  std::jthread upkeep;
};

Engine::Engine(Store& store, const EngineOptions& options,
               const std::function<void(const std::string&, double)>& progress)
    : state_(std::make_unique<State>(store, options)) {
  state_->last_bandit = store.last_bandit();
  const std::vector<BanditRow> rows = store.Bandits();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BanditRow& row = rows[i];
    if (progress) {
      progress(row.name,
               static_cast<double>(i) / static_cast<double>(rows.size()));
    }
    auto bandit = std::make_shared<ServedBandit>(
        row.bandit, row.name, ParseSettings(row.settings), options.limits,
        store, state_->clock);
    try {
      bandit->Restore(row.checkpoint);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCorrupt) throw;
      throw Error(ErrorCode::kCorrupt,
                  fmt::format("bandit {} cannot be restored: {}", row.name,
                              error.what()));
    }
    state_->bandits.emplace(row.name, std::move(bandit));
  }
  if (progress && !rows.empty()) progress(rows.back().name, 1);
  State& state = *state_;
  state.expiry = std::jthread([&state](const std::stop_token& stop) {
    state.Repeat(stop, kExpiryStep, [&state] {
      state.ForEach(
          [&state](ServedBandit& bandit) { bandit.Expire(state.clock()); });
    });
  });
  state.upkeep = std::jthread(
      [&state](const std::stop_token& stop) { state.KeepUp(stop); });
}

Engine::~Engine() {
  state_->expiry = {};
  state_->upkeep = {};
  if (!state_->store.failure().empty()) return;
  state_->ForEach([](ServedBandit& bandit) { bandit.SaveLearners(true); });
}

Engine::Created Engine::Create(const std::string& name,
                               const Settings& settings) {
  CheckBanditName(name);
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  const auto found = state.bandits.find(name);
  if (found != state.bandits.end()) {
    const State::Bandit there = found->second;
    lock.unlock();  // a bandit may be busy for long
    const Settings present = there->settings();
    if (!SameForGood(present, settings)) {
      throw Refused(Refusal::kConflict,
                    fmt::format("bandit {} is there with other settings, which "
                                "cannot change: {}",
                                name, ToJson(present)));
    }
    return {.bandit = there,
            .is_new = false,
            .durable_at = state.store.last_appended()};
  }
  if (state.bandits.size() >= state.options.limits.bandits) {
    throw Refused(
        Refusal::kTooMany,
        fmt::format("there are {} bandits, at most {} are allowed",
                    state.bandits.size(), state.options.limits.bandits));
  }
  const std::string failure = state.store.failure();
  if (!failure.empty()) {
    throw Refused(Refusal::kUnavailable, kCannotWrite, failure);
  }
  if (state.store.congested()) {
    throw Refused(Refusal::kUnavailable, "too many changes wait for the disk");
  }
  const BanditNumber number = state.last_bandit + 1;
  auto bandit = std::make_shared<ServedBandit>(
      number, name, settings, state.options.limits, state.store, state.clock);
  const auto added = state.bandits.emplace(name, bandit).first;
  try {
    const Sequence durable_at =
        state.store.Append(BanditCreated{.bandit = number,
                                         .name = name,
                                         .settings = ToJson(settings),
                                         .time = state.clock()});
    state.last_bandit = number;
    return {
        .bandit = std::move(bandit), .is_new = true, .durable_at = durable_at};
  } catch (...) {
    state.bandits.erase(added);
    throw;
  }
}

std::shared_ptr<ServedBandit> Engine::At(std::string_view name) const {
  const std::shared_lock lock(state_->mutex);
  const auto found = state_->bandits.find(name);
  if (found == state_->bandits.end()) {
    throw Refused(Refusal::kNotFound,
                  fmt::format("there is no bandit {}", Quoted(name)));
  }
  return found->second;
}

std::vector<std::shared_ptr<ServedBandit>> Engine::Bandits() const {
  return state_->All();
}

// The name is free only when the bandit is deleted, because the store has
// changes in this order. Others are not kept waiting until it is.
Sequence Engine::Delete(std::string_view name) {
  const State::Bandit bandit = At(name);
  const Sequence sequence = bandit->Delete();
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->bandits.find(name);
  if (found != state_->bandits.end() && found->second == bandit) {
    state_->bandits.erase(found);
  }
  return sequence;
}

Store& Engine::store() const { return state_->store; }
const Limits& Engine::limits() const { return state_->options.limits; }
Time Engine::Now() const { return state_->clock(); }

}  // namespace manyarms::service
