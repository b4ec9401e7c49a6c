#ifndef MANYARMS_BANDIT_H_
#define MANYARMS_BANDIT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "manyarms/catalogue.h"
#include "manyarms/error.h"
#include "manyarms/policy.h"
#include "manyarms/posterior.h"
#include "manyarms/search.h"
#include "manyarms/types.h"

namespace manyarms {

struct BanditOptions {
  std::size_t dim = 0;  ///< features of an arm, 1 to kMaxDim
  PolicyOptions policy = ThompsonOptions{};
  SearchOptions search = CertifiedOptions{};
  double regularisation = 1.0;  ///< lambda in the paper
  /// The paper's extension (section 6) for rewards whose largest mean may be
  /// negative: x becomes [x/sqrt 2, sqrt 2/2] and r becomes r/2 + 1/2 inside.
  /// The exploration counts in those halved rewards: 1 explores as far as 2
  /// does without the extension.
  bool negative_rewards = false;
  std::uint64_t seed = 1;
};

struct Decision {
  ArmId arm = 0;
  /// What the arm won by, in the rewards' units: a sampled reward (ts), an
  /// upper bound of it (ucb), an uncertainty (elim).
  double score = 0;
};

/// A linear bandit over arms that come and go: the front door of the library.
///
/// Choose may be called any number of times before the rewards of earlier
/// choices are learned, and rewards may be learned in any order.
///
/// Costs, beside those of the search: Choose O(d^2) for ts, O(d^3) for ucb and
/// elim; Learn and Predict O(d^2); Add and Remove O(d) an arm, for elim O(d^2).
///
/// After an Error the bandit is as it was before the call, except that it must
/// not be used any more if memory ran out in Add, Remove or Choose. A bandit
/// that was moved from can be destroyed or assigned to, nothing else.
///
/// Thread safety: const methods may be called from any number of threads while
/// nobody calls a non-const one. With certified search a bandit may run a
/// thread of its own now and then. Callers need not care: Add may wait for it
/// for some ten microseconds, and destruction waits until it has stopped.
class Bandit {
 public:
  /// Throws Error(kInvalidArgument) or Error(kUnsupported).
  explicit Bandit(const BanditOptions& options);
  ~Bandit();
  Bandit(Bandit&&) noexcept;
  Bandit& operator=(Bandit&&) noexcept;

  /// Makes room for so many arms in all. Adding them goes faster then.
  void Reserve(std::size_t arms);

  /// Adds arms, all or none; `features` holds ids.size() rows of dim values.
  void Add(std::span<const ArmId> ids, std::span<const float> features);
  void Add(ArmId id, std::span<const float> features);

  /// Throws Error(kUnknownId).
  void Remove(ArmId id);

  /// Throws Error(kNoArms) when there is nothing to choose from.
  Decision Choose();

  /// Takes in the reward of an arm that is in the catalogue.
  void Learn(ArmId id, double reward);

  /// The same for features, for instance of an arm that is gone by now.
  void Learn(std::span<const float> features, double reward);

  bool Contains(ArmId id) const;
  std::size_t size() const;
  std::size_t dim() const;

  /// The reward that is expected of a feature vector.
  double Predict(std::span<const float> features) const;

  PolicyStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyarms

#endif  // MANYARMS_BANDIT_H_
