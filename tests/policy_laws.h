#ifndef MANYARMS_TESTS_POLICY_LAWS_H_
#define MANYARMS_TESTS_POLICY_LAWS_H_

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "manyarms/bandit.h"
#include "testing.h"

namespace manyarms {

/// The number of features of all arms in the laws.
inline constexpr std::size_t kDim = 4;

/// A policy with a search that serves it.
struct Combination {
  std::string name;
  PolicyOptions policy;
  SearchOptions search;

  friend std::ostream& operator<<(std::ostream& out, const Combination& c) {
    return out << c.name;
  }
};

/// Every sample of every policy with every sample of every search that serves
/// it, and elimination with a graph that misses most of the time.
std::vector<Combination> AllCombinations();

std::vector<Combination> CombinationsWhere(
    const std::function<bool(const Combination&)>& holds);

template <class Options>
bool Has(const PolicyOptions& policy) {
  return std::holds_alternative<Options>(policy);
}
template <class Options>
bool Has(const SearchOptions& search) {
  return std::holds_alternative<Options>(search);
}

/// Whether the policy draws for each choice.
inline bool Draws(const PolicyOptions& policy) {
  return Has<ThompsonOptions>(policy) || Has<GlocTsOptions>(policy);
}

inline std::string NameOf(const ::testing::TestParamInfo<Combination>& c) {
  return c.param.name;
}

/// The bytes that were allocated and not freed. Unlike resident memory they do
/// not depend on what the system does with pages, nor on the freed memory that
/// the address sanitizer keeps to find accesses to it.
std::size_t HeapBytes();

/// Bandits of one combination, and arms whose reward is the sum of their
/// features.
class PolicyLaws : public ::testing::TestWithParam<Combination> {
 protected:
  static Bandit MakeBandit(std::uint64_t seed = 1, bool negative = false) {
    return Bandit({.dim = kDim,
                   .policy = GetParam().policy,
                   .search = GetParam().search,
                   .negative_rewards = negative,
                   .seed = seed});
  }

  static double Mean(ArmId arm) {
    double sum = 0;
    for (const float v : Row(arm)) sum += v;
    return sum;
  }
  static std::vector<float> Row(ArmId arm) {
    std::vector<float> row(kDim);
    RandomStream(3, RandomStream::Role::kArm, arm).Gaussians(row);
    return row;
  }
  static void AddArms(Bandit& bandit, ArmId first, ArmId last) {
    for (ArmId id = first; id < last; ++id) bandit.Add(id, Row(id));
  }
  static ArmId Step(Bandit& bandit) {
    const Decision decision = bandit.Choose();
    bandit.Learn(decision, Mean(decision.arm));
    return decision.arm;
  }
};

}  // namespace manyarms

#endif  // MANYARMS_TESTS_POLICY_LAWS_H_
