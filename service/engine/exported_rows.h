#ifndef MANYARMS_SERVICE_ENGINE_EXPORTED_ROWS_H_
#define MANYARMS_SERVICE_ENGINE_EXPORTED_ROWS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "service/engine/log_export.h"
#include "service/sql/database.h"
#include "service/store/changes.h"

/// What a log is made of, read from a store.
namespace manyarms::service {

/// One of the two tables of events, read page by page in the order of
/// sequences.
template <class Row>
class EventPages {
 public:
  using RowAt = Row (*)(const sql::Statement&);

  /// The query has the parameters that Bind gives values to.
  EventPages(sql::Database& database, BanditNumber bandit,
             const LogExportOptions& options, const std::string& query,
             RowAt row_at)
      : query_(database.Prepare(query)),
        bandit_(bandit),
        options_(options),
        row_at_(row_at) {}

  /// The next row, or null at the end. Valid until Pop.
  const Row* Peek();
  void Pop() { ++next_; }

 private:
  void Refill();

  std::unique_ptr<sql::Statement> query_;
  const BanditNumber bandit_;
  const LogExportOptions& options_;
  const RowAt row_at_;
  std::vector<Row> page_;
  std::size_t next_ = 0;
  Sequence last_ = 0;
  bool at_end_ = false;
};

EventPages<DecisionRow> DecisionsOf(sql::Database& database,
                                    BanditNumber bandit,
                                    const LogExportOptions& options);
/// Of these decisions, at most one for each; and observations.
EventPages<RewardRow> RewardsOf(sql::Database& database, BanditNumber bandit,
                                const LogExportOptions& options);

/// When arms got their features and ceased to have them.
class ArmHistory {
 public:
  /// Without the arms that were gone before `first`, which is below 2^63.
  ArmHistory(sql::Database& database, BanditNumber bandit, std::size_t dim,
             Sequence first);

  struct Event {
    Sequence sequence = 0;
    bool removed = false;
    std::size_t arm = 0;  ///< for the methods below
  };
  /// In their order. An arm that gets other features is not removed before.
  const std::vector<Event>& events() const { return events_; }

  ArmId id(std::size_t arm) const { return ids_[arm]; }
  std::string name(std::size_t arm) const;  ///< empty if arms have numbers
  std::span<const float> features(std::size_t arm) const;

 private:
  struct Lives;
  void ReadArms(sql::Database& database, BanditNumber bandit,
                std::vector<Lives>& lives);
  void ReadFormerArms(sql::Database& database, BanditNumber bandit,
                      Sequence first, std::vector<Lives>& lives);
  Lives Take(const sql::Statement& row);

  const std::size_t dim_;
  std::vector<ArmId> ids_;
  std::vector<float> features_;
  std::string names_;                   // one after another
  std::vector<std::size_t> name_ends_;  // in names_
  std::vector<Event> events_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_EXPORTED_ROWS_H_
