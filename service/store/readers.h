#ifndef MANYARMS_SERVICE_STORE_READERS_H_
#define MANYARMS_SERVICE_STORE_READERS_H_

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "service/sql/database.h"

namespace manyarms::service {

/// A connection that reads, with its statements.
class Reader {
 public:
  explicit Reader(const std::string& place)
      : database_(sql::Open(place, sql::Database::Access::kRead)) {}

  sql::Statement& Prepared(const std::string& text) {
    auto& statement = statements_[text];
    if (!statement) statement = database_->Prepare(text);
    return *statement;
  }
  sql::Database& database() { return *database_; }

 private:
  std::unique_ptr<sql::Database> database_;
  std::unordered_map<std::string, std::unique_ptr<sql::Statement>> statements_;
};

/// Connections that read. Those that nobody uses are kept.
///
/// Thread safety: any thread may call any method.
class Readers {
 public:
  explicit Readers(std::string place) : place_(std::move(place)) {}

  /// use(reader), which must change nothing if it throws: it is called again
  /// with a new connection if the one it had turns out to be lost.
  template <class Use>
  auto With(const Use& use) {
    const Place place(*this);
    if (auto reader = TakeIdle()) {
      try {
        return UseAndKeep(std::move(reader), use);
      } catch (const sql::Failure& failure) {
        if (failure.kind() != sql::FailureKind::kLost) throw;
      }
      DropIdle();
    }
    return UseAndKeep(std::make_unique<Reader>(place_), use);
  }

 private:
  static constexpr std::size_t kMost = 8;

  // One of the connections that there may be.
  class Place {
   public:
    explicit Place(Readers& readers);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    Readers& readers_;
  };

  template <class Use>
  auto UseAndKeep(std::unique_ptr<Reader> reader, const Use& use) {
    auto result = use(*reader);
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(reader));
    return result;
  }
  std::unique_ptr<Reader> TakeIdle();
  void DropIdle();

  const std::string place_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Reader>> idle_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_STORE_READERS_H_
