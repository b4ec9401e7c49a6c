#ifndef MANYARMS_POPULATION_WORKSPACE_H_
#define MANYARMS_POPULATION_WORKSPACE_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bandit/eligible_arms.h"
#include "base/shared_mutex.h"
#include "manyarms/population.h"
#include "policy/questions.h"
#include "population/learner.h"
#include "population/prior_source.h"
#include "posterior/posterior.h"
#include "search/search.h"

namespace manyarms {

/// What a learner needs while it chooses or learns, and does not keep.
struct Workspace {
  /// Throws Error for options out of bounds or combinations that cannot work.
  Workspace(const PopulationOptions& options, const ContextModel& model,
            Posterior fresh, const ArmStore& store, Index& index);

  /// The posterior becomes the learner's, or the prior if there is no learner
  /// or if it has learned nothing.
  void Become(const Learner* learner, const StartingPrior& prior);

  /// What the posterior has learned becomes what the learner has learned.
  void PackInto(Learner& learner) const;

  Posterior posterior;
  std::unique_ptr<Questions> questions;
  std::unique_ptr<Finder> finder;  // for those that have none of their own
  EligibleArms eligible_arms;
};

/// As many workspaces as threads need at the same time.
class WorkspacePool {
 public:
  WorkspacePool(const PopulationOptions& options, const ContextModel& model,
                const PriorSource& prior, const ArmStore& store, Index& index)
      : options_(options),
        model_(model),
        prior_(prior),
        store_(store),
        index_(index) {}

  class Loan {
   public:
    Loan(WorkspacePool& pool, std::unique_ptr<Workspace> workspace)
        : pool_(pool), workspace_(std::move(workspace)) {}
    ~Loan() { pool_.GiveBack(std::move(workspace_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    Workspace& operator*() const { return *workspace_; }
    Workspace* operator->() const { return workspace_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> workspace_;
  };

  Loan Borrow();

  /// The sums over the finders of all workspaces that are not lent.
  SearchStats stats() const;

 private:
  void GiveBack(std::unique_ptr<Workspace> workspace) noexcept;

  const PopulationOptions& options_;
  const ContextModel& model_;
  const PriorSource& prior_;
  const ArmStore& store_;
  Index& index_;
  mutable SharedMutex mutex_{LockLevel::kIndex};
  std::vector<std::unique_ptr<Workspace>> idle_;  // guarded by mutex_
  std::size_t made_ = 0;                          // likewise
};

}  // namespace manyarms

#endif  // MANYARMS_POPULATION_WORKSPACE_H_
