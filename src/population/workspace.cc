#include "population/workspace.h"

#include <mutex>
#include <shared_mutex>
#include <utility>

namespace manyarms {

Workspace::Workspace(const PopulationOptions& options,
                     const ContextModel& model, Posterior fresh,
                     const ArmStore& store, Index& index)
    : posterior(std::move(fresh)),
      questions(MakeQuestions(options.policy, posterior, model)),
      finder(index.MakeSharedFinder()),
      eligible_arms(store) {}

void Workspace::Become(const Learner* learner, const StartingPrior& prior) {
  if (learner == nullptr || !learner->packed) {
    posterior.Unpack(prior.packed, 0, prior.fresh);
    return;
  }
  const StartingPrior& began = learner->prior ? *learner->prior : prior;
  posterior.Unpack({learner->packed.get(), prior.packed.size()},
                   learner->rewards, began.fresh);
}

void Workspace::PackInto(Learner& learner) const {
  const std::size_t size = posterior.packed_size();
  if (!learner.packed) {
    learner.packed = std::make_unique_for_overwrite<double[]>(size);
  }
  posterior.Pack({learner.packed.get(), size});
  learner.rewards = posterior.observations();
}

WorkspacePool::Loan WorkspacePool::Borrow() {
  {
    const std::unique_lock lock(mutex_);
    if (!idle_.empty()) {
      auto workspace = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(workspace)};
    }
  }
  // Without the lock, because the prior has one of the same level.
  auto workspace = std::make_unique<Workspace>(
      options_, model_, prior_.Now()->fresh, store_, index_);
  const std::unique_lock lock(mutex_);
  idle_.reserve(made_ + 1);  // so that giving it back never fails
  ++made_;
  return {*this, std::move(workspace)};
}

void WorkspacePool::GiveBack(std::unique_ptr<Workspace> workspace) noexcept {
  const std::unique_lock lock(mutex_);
  idle_.push_back(std::move(workspace));
}

SearchStats WorkspacePool::stats() const {
  const std::shared_lock lock(mutex_);
  SearchStats sum;
  for (const auto& workspace : idle_) sum += workspace->finder->stats();
  return sum;
}

}  // namespace manyarms
