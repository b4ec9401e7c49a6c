#ifndef MANYARMS_POLICY_H_
#define MANYARMS_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "manyarms/catalogue.h"
#include "manyarms/posterior.h"
#include "manyarms/search.h"
#include "manyarms/types.h"

namespace manyarms {

class ByteReader;  // src/base/bytes.h
class ByteWriter;

/// The radius of the confidence ellipsoid that the paper's analysis needs:
/// sqrt(lambda) + sqrt(2 ln(1/delta') + d ln(1 + T/(lambda d))), where each
/// policy takes the share delta' of delta that its proof gives it. Far larger
/// than what works best in practice.
struct TheoryRadius {
  std::uint64_t horizon = 0;  ///< T: how many steps there will be
  double delta = 0.05;        ///< how likely the intervals may fail, up to 1

  bool operator==(const TheoryRadius&) const = default;
};

/// beta in the paper: a constant or the theory's radius.
struct Exploration : std::variant<double, TheoryRadius> {
  template <class Number>
  requires std::is_arithmetic_v<Number> Exploration(
      Number constant)  // NOLINT(google-explicit-constructor)
      : variant(static_cast<double>(constant)) {}
  Exploration(
      const TheoryRadius& theory)  // NOLINT(google-explicit-constructor)
      : variant(theory) {}
};

/// The radius as a number; `failure` is delta' above.
double TheoryRadiusValue(std::size_t dim, double regularisation,
                         std::uint64_t horizon, double failure);

/// Thompson sampling (Algorithm 4).
struct ThompsonOptions {
  Exploration exploration = 2.0;

  bool operator==(const ThompsonOptions&) const = default;
};

/// Elimination in stages (Algorithms 2 and 3).
struct EliminationOptions {
  Exploration exploration = 2.0;
  /// eta in the paper, within [1e-6, 1/8]: the stages end at
  /// ceil(log2(1/8eta)), but not before the first.
  double accuracy = 0.01;

  bool operator==(const EliminationOptions&) const = default;
};

/// The upper confidence bound (OFUL, LinUCB).
struct UcbOptions {
  Exploration exploration = 2.0;

  bool operator==(const UcbOptions&) const = default;
};

using PolicyOptions =
    std::variant<ThompsonOptions, EliminationOptions, UcbOptions>;

std::string_view PolicyName(const PolicyOptions& options);

/// What the policy's searches have done, with the arms that the policy itself
/// has scored, and what it had to do besides.
struct PolicyStats : SearchStats {
  std::uint64_t eliminations = 0;  ///< of arms; those that came back count anew
  std::uint64_t recoveries = 0;    ///< times all arms had been eliminated
};

/// Decides which arm to play. Keeps itself informed of the catalogue's arms;
/// reads the posterior whenever it needs it.
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

  /// REQUIRES: the policy has the arm, and the catalogue still has it.
  virtual void Remove(Slot slot) = 0;

  /// No slot if no arm has a score that is a number, which cannot be learned.
  /// REQUIRES: the policy has at least one arm.
  virtual Hit Choose() = 0;

  /// The best so many arms by what one choice goes by, best first, of a part of
  /// the arms if the request says so. For elim, whose stages are made of all
  /// arms and say nothing of a part of them: of the arms whose upper bound
  /// reaches the largest lower bound, the most uncertain ones; its stages stay
  /// as they are.
  /// REQUIRES: among the arms asked for is at least one of the policy's.
  virtual std::vector<Hit> ChooseTop(const TopRequest& request) = 0;

  virtual PolicyStats stats() const = 0;

  /// Writes what decisions depend on beside arms and posterior.
  virtual void Save(ByteWriter& writer) const = 0;

  /// Goes on where the policy that was saved had been; `slots` are all arms, in
  /// order. REQUIRES: the policy was made with the same options and has no
  /// arms.
  virtual void Restore(ByteReader& reader, std::span<const Slot> slots) = 0;
};

/// Throws Error for options out of bounds or combinations that cannot work.
/// The catalogue and the posterior must outlive the policy.
std::unique_ptr<Policy> MakePolicy(const PolicyOptions& policy,
                                   const SearchOptions& search,
                                   const Catalogue& catalogue,
                                   const Posterior& posterior,
                                   std::uint64_t seed);

}  // namespace manyarms

#endif  // MANYARMS_POLICY_H_
