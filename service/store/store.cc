#include "service/store/store.h"

#include <future>
#include <utility>

#include "service/store/foreign_tables.h"
#include "service/store/old_rows.h"
#include "service/store/store_state.h"

namespace manyarms::service {

Store::Store(const StoreOptions& options) {
  RefuseForeignTables(options.place);
  state_ = std::make_unique<State>(options);
}

Store::~Store() = default;

BanditNumber Store::last_bandit() const {
  return state_->committer.last_bandit();
}

Sequence Store::Append(Change change) {
  return state_->committer.Append(std::move(change));
}

void Store::WhenDurable(Sequence change, std::function<void(bool)> done) {
  state_->committer.WhenDurable(change, std::move(done));
}

void Store::Wait(Sequence change) {
  std::promise<bool> promise;
  auto is_durable = promise.get_future();
  WhenDurable(change, [&](bool durable) { promise.set_value(durable); });
  if (!is_durable.get()) {
    throw Error(ErrorCode::kIo, "the store cannot write: " + failure());
  }
}

std::uint64_t Store::DeleteOlderThan(Time before) {
  OldRows old(before);
  for (bool is_more = true; is_more;) {
    state_->committer.RunBetweenCommits(
        [&](sql::Database& database) { is_more = old.DeleteSome(database); });
  }
  return old.deleted();
}

void Store::Backup(const std::string& path) {
  if (sql::IsPostgres(state_->place)) {
    throw Error(ErrorCode::kUnsupported,
                "PostgreSQL makes backups itself, with pg_dump");
  }
  state_->readers.With([&](Reader& reader) {
    reader.database().Backup(path);
    return true;
  });
}

void Store::Check() {
  state_->readers.With([](Reader& reader) {
    auto& query =
        reader.Prepared("SELECT value FROM meta WHERE name = 'version'");
    while (query.Next()) {
    }
    return true;
  });
}

bool Store::congested() const { return state_->committer.congested(); }

std::string Store::failure() const { return state_->committer.failure(); }

bool Store::failed_for_good() const {
  return state_->committer.failed_for_good();
}

bool Store::taken_over() const { return state_->committer.taken_over(); }

Sequence Store::last_appended() const {
  return state_->committer.last_appended();
}

StoreStats Store::stats() const {
  StoreStats stats = state_->committer.stats();
  try {
    stats.bytes = state_->readers.With(
        [](Reader& reader) { return reader.database().SizeInBytes(); });
  } catch (const Error&) {
    // It is not known while the database does not answer.
  }
  return stats;
}

}  // namespace manyarms::service
