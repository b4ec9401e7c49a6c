#ifndef MANYARMS_POLICY_POLICY_H_
#define MANYARMS_POLICY_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "catalogue/arm_store.h"
#include "kernels/slot.h"
#include "manyarms/context.h"
#include "manyarms/policy_options.h"
#include "policy/redraws.h"
#include "posterior/context_model.h"
#include "posterior/posterior.h"
#include "search/search.h"

namespace manyarms {

/// Decides which arm to choose. Add is called after the store and the shared
/// index have been given the arms, and Remove while both still have the arm.
/// The policy reads the posterior whenever it needs it.
///
/// Thread safety: none; one thread at a time.
class Policy {
 public:
  Policy() = default;
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  /// REQUIRES: the slots hold arms that the policy does not have yet.
  virtual void Add(std::span<const Slot> slots) = 0;

  /// REQUIRES: the policy has the arm, and the store still holds it.
  virtual void Remove(Slot slot) = 0;

  /// The chosen arm, with no slot if all scores are NaN, which no reward can
  /// cause. REQUIRES: the policy has at least one arm, and the context is that
  /// of its model, empty if there are none.
  virtual Hit Choose(Context context) = 0;

  /// The top k arms by the score of one choice, best first. The stages of elim
  /// say nothing about a part of the arms. So elim returns the most uncertain
  /// of those arms whose upper bound reaches the largest lower bound, and its
  /// stages stay as they are. REQUIRES: at least one arm is eligible.
  virtual std::vector<Hit> ChooseTop(const TopRequest& request,
                                     Context context) = 0;

  /// Counts a choice that was made without the policy.
  virtual void Pass() = 0;

  /// Takes back the last choices, whose decisions were not made. Throws
  /// Error(kUnsupported) if the policy cannot.
  virtual void TakeBack(std::uint64_t choices) = 0;

  /// How many further draws would choose each of these arms. No later choice
  /// depends on it. Throws Error(kUnsupported) if the policy cannot say.
  virtual Wins CountWins(const Redraws& redraws,
                         std::span<const Slot> arms) = 0;

  virtual PolicyStats stats() const = 0;

  /// beta in the paper, as a number.
  virtual double exploration() const = 0;

  /// Writes what decisions depend on, apart from arms and posterior.
  virtual void Save(ByteWriter& writer) const = 0;

  /// Continues where the saved policy was. `slots` are those of all arms, in
  /// ascending order. REQUIRES: the policy was made with the same options and
  /// has no arms.
  virtual void Restore(ByteReader& reader, std::span<const Slot> slots) = 0;
};

/// The index over all arms that every learner with this policy and this search
/// can share. None for a policy that searches sets of its own (elim). If the
/// search uses a compact copy, the store keeps one from now on. Throws Error
/// for options out of bounds or combinations that cannot work.
std::unique_ptr<Index> MakeSharedIndex(const PolicyOptions& policy,
                                       const SearchOptions& search,
                                       ArmStore& store, std::uint64_t seed);

/// What a policy works with, which must outlive it.
struct PolicyParts {
  const ArmStore& store;
  Posterior& posterior;  ///< which a policy only reads and tells what to keep
  Index* index;          ///< from MakeSharedIndex with the same options
  ContextModel model;
};

/// Throws Error for options out of bounds or combinations that cannot work.
std::unique_ptr<Policy> MakePolicy(const PolicyOptions& policy,
                                   const SearchOptions& search,
                                   const PolicyParts& parts,
                                   std::uint64_t seed);

}  // namespace manyarms

#endif  // MANYARMS_POLICY_POLICY_H_
