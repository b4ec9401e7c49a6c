#include "service/engine/log_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "log/event_text.h"
#include "manyarms/error.h"
#include "manyarms/logged_event.h"
#include "service/engine/exported_rows.h"
#include "service/engine/settings.h"
#include "service/store/tables.h"

namespace manyarms::service {
namespace {

struct ExportedBandit {
  BanditNumber number = 0;
  Settings settings = {};
  Sequence end = 0;  // what has happened so far
};

// A connection that sees everything as of one moment.
std::unique_ptr<sql::Database> OpenAtOneMoment(const std::string& place) {
  const bool is_postgres = sql::IsPostgres(place);
  if (!is_postgres && !std::filesystem::exists(place)) {
    throw FileError("cannot open", place, ENOENT);
  }
  auto database = sql::Open(place, sql::Database::Access::kRead);
  database->Begin();
  if (is_postgres) {
    database->Run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  }
  return database;
}

std::optional<std::int64_t> MetaOf(sql::Database& database,
                                   const LogExportOptions& options,
                                   std::string_view name) {
  try {
    return ReadMeta(database, name);
  } catch (const sql::Failure& failure) {
    if (failure.kind() != sql::FailureKind::kOther &&
        failure.kind() != sql::FailureKind::kFatal) {
      throw;
    }
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{} is not a store of manyarms serve: {}",
                            options.place, failure.what()));
  }
}

ExportedBandit FindBandit(sql::Database& database,
                          const LogExportOptions& options) {
  const auto version = MetaOf(database, options, "version");
  if (version && *version > kTablesVersion) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("the store's tables have version {}, and this "
                            "program knows versions up to {}",
                            *version, kTablesVersion));
  }
  ExportedBandit bandit;
  bandit.end =
      static_cast<Sequence>(MetaOf(database, options, "sequence").value_or(0));
  const auto query =
      database.Prepare("SELECT bandit, settings FROM bandits WHERE name = $1");
  query->Text(options.bandit);
  while (query->Next()) {
    bandit.number = query->IntegerAt(0);
    bandit.settings = ParseSettings(query->TextAt(1));
  }
  if (bandit.number == 0) {
    throw Error(
        ErrorCode::kUnknownId,
        fmt::format("there is no bandit \"{}\" in the store", options.bandit));
  }
  return bandit;
}

class Exporter {
 public:
  Exporter(sql::Database& database, const ExportedBandit& bandit,
           const LogExportOptions& options, std::ostream& out)
      : bandit_(bandit),
        header_(LogHeader::Of(bandit.settings.population)),
        decisions_(DecisionsOf(database, bandit.number, options)),
        rewards_(RewardsOf(database, bandit.number, options)),
        arms_to_the_end_(!options.until),
        out_(out) {
    if (options.arms) {
      arms_.emplace(database, bandit.number, header_.dim,
                    std::min(NextOf(decisions_), NextOf(rewards_)));
    }
  }

  ExportedEvents Run(const std::function<void(double)>& progress) {
    CheckHeader(header_);
    AppendHeader(header_, line_);
    EndLine();
    while (out_ && WriteNext()) {
      if (progress && bandit_.end > 0) {
        progress(static_cast<double>(last_) / static_cast<double>(bandit_.end));
      }
    }
    return counts_;
  }

 private:
  static constexpr Sequence kNone = std::numeric_limits<std::int64_t>::max();

  Sequence NextArmChange() const {
    return arms_ && next_arm_ < arms_->events().size()
               ? arms_->events()[next_arm_].sequence
               : kNone;
  }
  template <class Row>
  static Sequence NextOf(EventPages<Row>& pages) {
    const Row* row = pages.Peek();
    return row == nullptr ? kNone : row->sequence;
  }

  // Returns false at the end.
  bool WriteNext() {
    const Sequence arm = NextArmChange();
    const Sequence decision = NextOf(decisions_);
    const Sequence reward = NextOf(rewards_);
    last_ = std::min({arm, decision, reward});
    if (last_ == kNone) return false;
    if (!arms_to_the_end_ && decision == kNone && reward == kNone) return false;
    if (arm == last_) {
      Write(arms_->events()[next_arm_++]);
    } else if (decision == last_) {
      Write(*decisions_.Peek());
      decisions_.Pop();
    } else {
      Write(*rewards_.Peek());
      rewards_.Pop();
    }
    return true;
  }

  LoggedArm ArmOf(ArmId arm, const std::string& name) const {
    return bandit_.settings.named_arms ? LoggedArm(name) : LoggedArm(arm);
  }

  void Write(const ArmHistory::Event& event) {
    LoggedArmChange change{
        .arm = ArmOf(arms_->id(event.arm), arms_->name(event.arm)),
        .removed = event.removed};
    if (!event.removed) {
      const auto features = arms_->features(event.arm);
      change.features.assign(features.begin(), features.end());
    }
    ++counts_.arm_changes;
    WriteEvent(change);
  }

  void Write(const DecisionRow& row) {
    ++counts_.decisions;
    WriteEvent(LoggedDecision{.id = row.sequence,
                              .learner = LearnerKey(row.learner),
                              .arm = ArmOf(row.arm, row.arm_name),
                              .features = row.features,
                              .context = row.context,
                              .score = row.score,
                              .eligible = row.eligible,
                              .uniform = row.uniform,
                              .probability = row.probability,
                              .policy = row.policy_arm ? "caller" : "",
                              .time = row.time});
  }

  void Write(const RewardRow& row) {
    if (row.kind != RewardKind::kObserved) {
      ++counts_.rewards;
      return WriteEvent(LoggedReward{.decision = row.decision,
                                     .learner = LearnerKey(row.learner),
                                     .reward = row.reward,
                                     .time = row.time});
    }
    ++counts_.observations;
    LoggedObservation seen{.learner = LearnerKey(row.learner),
                           .features = row.features,
                           .context = row.context,
                           .reward = row.reward,
                           .time = row.time};
    if (row.arm) seen.arm = ArmOf(*row.arm, row.arm_name);
    WriteEvent(seen);
  }

  void WriteEvent(const LogEvent& event) {
    CheckEvent(event, header_);
    AppendEvent(event, line_);
    EndLine();
  }

  void EndLine() {
    line_ += '\n';
    out_ << line_;
    line_.clear();
  }

  const ExportedBandit& bandit_;
  const LogHeader header_;
  std::optional<ArmHistory> arms_;  // none: not written
  std::size_t next_arm_ = 0;
  EventPages<DecisionRow> decisions_;
  EventPages<RewardRow> rewards_;
  const bool arms_to_the_end_;  // those that come after everything else, too
  std::ostream& out_;
  std::string line_;
  Sequence last_ = 0;
  ExportedEvents counts_;
};

}  // namespace

ExportedEvents ExportLog(const LogExportOptions& options, std::ostream& out,
                         const std::function<void(double)>& progress) {
  const auto database = OpenAtOneMoment(options.place);
  const ExportedBandit bandit = FindBandit(*database, options);
  return Exporter(*database, bandit, options, out).Run(progress);
}

}  // namespace manyarms::service
