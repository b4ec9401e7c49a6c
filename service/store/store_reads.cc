#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "manyarms/error.h"
#include "service/store/read_ahead.h"
#include "service/store/rows.h"
#include "service/store/store_state.h"

namespace manyarms::service {
namespace {

// Rows are read in pages, so that no transaction is open for long: SQLite's log
// could not begin again meanwhile.
constexpr std::int64_t kPage = 4'000;

const std::string& EventQuery(bool of_decisions) {
  static const auto query = [](std::string_view columns,
                               std::string_view table) {
    return fmt::format(
        "SELECT {} FROM {} WHERE bandit = $1 AND sequence > $2 AND "
        "sequence <= $3 AND {} ORDER BY sequence LIMIT $4",
        columns, table, NotForgotten(table));
  };
  static const std::string decisions = query(kDecisionColumns, "decisions");
  static const std::string rewards = query(kRewardColumns, "rewards");
  return of_decisions ? decisions : rewards;
}

// Rows of one of the two logs, one after another.
template <class Row>
class LogReader {
 public:
  LogReader(Readers& readers, BanditNumber bandit, Sequence after,
            Sequence until, const std::string& query,
            Row (*row_at)(const sql::Statement&))
      : readers_(readers),
        bandit_(bandit),
        after_(after),
        until_(until),
        query_(query),
        row_at_(row_at) {}

  /// The next row, or none at the end. It may be moved from.
  Row* Peek() {
    if (next_ == page_.size() && !at_end_) Refill();
    return next_ == page_.size() ? nullptr : &page_[next_];
  }
  void Pop() { ++next_; }

 private:
  void Refill() {
    page_ = readers_.With([&](Reader& reader) {
      std::vector<Row> page;
      auto& query = reader.Prepared(query_);
      query.Integer(bandit_);
      BindCount(after_, query);
      BindCount(until_, query);
      query.Integer(kPage);
      while (query.Next()) page.push_back(row_at_(query));
      return page;
    });
    next_ = 0;
    at_end_ = page_.size() < static_cast<std::size_t>(kPage);
    if (!page_.empty()) after_ = page_.back().sequence;
  }

  Readers& readers_;
  BanditNumber bandit_;
  Sequence after_;
  Sequence until_;
  const std::string& query_;
  Row (*row_at_)(const sql::Statement&);
  std::vector<Row> page_;
  std::size_t next_ = 0;
  bool at_end_ = false;
};

// A number that the database has.
Sequence NumberOf(Readers& readers, const std::string& text,
                  std::optional<BanditNumber> bandit) {
  return readers.With([&](Reader& reader) {
    auto& query = reader.Prepared(text);
    if (bandit) query.Integer(*bandit);
    Sequence number = 0;
    while (query.Next()) number = static_cast<Sequence>(query.IntegerAt(0));
    return number;
  });
}

// The decisions that were made together, of which `log` is at the first one
// that is there; those in between may be missing.
std::vector<DecisionRow> TakeSlate(LogReader<DecisionRow>& log) {
  std::vector<DecisionRow> slate;
  const Sequence first = log.Peek()->sequence - log.Peek()->rank;
  const DecisionRow* row = log.Peek();
  while (row != nullptr && row->sequence - row->rank == first) {
    slate.push_back(std::move(*log.Peek()));
    log.Pop();
    row = log.Peek();
  }
  return slate;
}

// Whether the database still has a part of the decisions that were made
// together with this one, though nobody may delete any of them: what was read
// before may be deleted meanwhile because of its age, or because its learner is
// forgotten.
bool IsPartlyThere(Readers& readers, const DecisionRow& row) {
  static const std::string text = fmt::format(
      "SELECT count(*) FROM decisions WHERE bandit = $1 AND sequence >= $2 "
      "AND sequence < $2 + $3 AND {} AND $2 > (SELECT checkpoint "
      "FROM bandits AS b WHERE b.bandit = decisions.bandit)",
      NotForgotten("decisions"));
  return readers.With([&](Reader& reader) {
    auto& query = reader.Prepared(text);
    query.Integer(row.bandit);
    BindCount(row.sequence - row.rank, query);
    query.Integer(row.slate);
    std::int64_t count = 0;
    while (query.Next()) count = query.IntegerAt(0);
    return count > 0;
  });
}

}  // namespace

std::vector<BanditRow> Store::Bandits() {
  return state_->readers.With([](Reader& reader) {
    auto& query = reader.Prepared(
        "SELECT bandit, name, settings, created, checkpoint FROM bandits "
        "ORDER BY bandit");
    std::vector<BanditRow> bandits;
    while (query.Next()) {
      bandits.push_back(
          {.bandit = query.IntegerAt(0),
           .name = std::string(query.TextAt(1)),
           .settings = std::string(query.TextAt(2)),
           .created = query.RealAt(3),
           .checkpoint = static_cast<Sequence>(query.IntegerAt(4))});
    }
    return bandits;
  });
}

std::uint64_t Store::Places(BanditNumber bandit) {
  return NumberOf(
      state_->readers,
      "SELECT COALESCE(max(place) + 1, 0) FROM arms WHERE bandit = $1", bandit);
}

void Store::ReadArms(BanditNumber bandit,
                     const std::function<void(ArmRow&&)>& use) {
  static const std::string text = fmt::format(
      "SELECT {} FROM arms WHERE bandit = $1 AND place > $2 "
      "ORDER BY place LIMIT $3",
      kArmColumns);
  std::int64_t last = -1;
  ReadAhead(
      [&] {
        auto arms = state_->readers.With([&](Reader& reader) {
          std::vector<ArmRow> page;
          auto& query = reader.Prepared(text);
          query.Integer(bandit).Integer(last).Integer(kPage);
          while (query.Next()) page.push_back(ArmAt(query));
          return page;
        });
        if (!arms.empty()) last = arms.back().place;
        return arms;
      },
      use);
}

void Store::ReadLearners(BanditNumber bandit,
                         const std::function<void(LearnerSaved&&)>& use) {
  // What a learner knows may be large: pages have two megabytes.
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  std::int64_t rows = 16;
  std::optional<std::string> last;
  ReadAhead(
      [&] {
        auto learners = state_->readers.With([&](Reader& reader) {
          std::vector<LearnerSaved> page;
          auto& query = reader.Prepared(fmt::format(
              "SELECT learner, knowledge, open, as_of FROM learners "
              "WHERE bandit = $1 AND learner {} $2 ORDER BY learner LIMIT $3",
              last ? ">" : ">="));
          query.Integer(bandit).Text(last.value_or("")).Integer(rows);
          while (query.Next()) {
            const auto knowledge = query.BytesAt(1);
            page.push_back(
                {.bandit = bandit,
                 .learner = std::string(query.TextAt(0)),
                 .knowledge = {knowledge.begin(), knowledge.end()},
                 .open = std::string(query.TextAt(2)),
                 .as_of = static_cast<Sequence>(query.IntegerAt(3))});
          }
          return page;
        });
        std::size_t bytes = 1;
        for (const LearnerSaved& learner : learners) {
          bytes += learner.knowledge.size() + learner.open.size();
        }
        if (!learners.empty()) last = learners.back().learner;
        rows = static_cast<std::int64_t>(std::clamp<std::size_t>(
            kBytes * learners.size() / bytes, 1, std::size_t{kPage}));
        return learners;
      },
      use);
}

void Store::ReadEvents(BanditNumber bandit, Sequence after,
                       const std::function<void(Event&&)>& use,
                       Sequence until) {
  Readers& readers = state_->readers;
  // Both logs are read up to the same change, while others are written.
  const Sequence last = NumberOf(
      readers, "SELECT value FROM meta WHERE name = 'sequence'", std::nullopt);
  const Sequence end = until == 0 ? last : std::min(until, last);
  LogReader<DecisionRow> decisions(readers, bandit, after, end,
                                   EventQuery(true), &DecisionAt);
  LogReader<RewardRow> rewards(readers, bandit, after, end, EventQuery(false),
                               &RewardAt);
  for (;;) {
    const DecisionRow* decision = decisions.Peek();
    RewardRow* reward = rewards.Peek();
    if (decision == nullptr && reward == nullptr) return;
    if (decision == nullptr ||
        (reward != nullptr && reward->sequence < decision->sequence)) {
      Event event = std::move(*reward);
      rewards.Pop();
      use(std::move(event));
      continue;
    }
    DecisionsMade made = {.decisions = TakeSlate(decisions)};
    const DecisionRow& row = made.decisions.front();
    if (made.decisions.size() == row.slate) {
      use(std::move(made));
    } else if (row.sequence - row.rank > after &&
               row.sequence - row.rank + row.slate - 1 <= end &&
               IsPartlyThere(readers, row)) {
      // Elsewhere it is cut by the limits of this call.
      throw Error(ErrorCode::kCorrupt,
                  fmt::format("the store is damaged: of {} decisions that were "
                              "made together as {} and so on, {} are there",
                              row.slate, row.sequence - row.rank,
                              made.decisions.size()));
    }
  }
}

void Store::ReadFormerArms(BanditNumber bandit,
                           const std::function<void(FormerArm&&)>& use) {
  Sequence added = 0;
  std::int64_t place = -1;
  for (bool at_end = false; !at_end;) {
    auto page = state_->readers.With([&](Reader& reader) {
      std::vector<FormerArm> arms;
      auto& query = reader.Prepared(
          "SELECT place, arm, name, features, tags, added, 0, removed "
          "FROM former_arms WHERE bandit = $1 AND (added > $2 OR "
          "(added = $2 AND place > $3)) ORDER BY added, place LIMIT $4");
      query.Integer(bandit);
      BindCount(added, query);
      query.Integer(place).Integer(kPage);
      while (query.Next()) {
        arms.push_back({.arm = ArmAt(query),
                        .removed = static_cast<Sequence>(query.IntegerAt(7))});
      }
      return arms;
    });
    at_end = page.size() < static_cast<std::size_t>(kPage);
    if (!page.empty()) {
      added = page.back().arm.added;
      place = page.back().arm.place;
    }
    for (FormerArm& arm : page) use(std::move(arm));
  }
}

}  // namespace manyarms::service
