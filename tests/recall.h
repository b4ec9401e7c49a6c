#ifndef MANYARMS_TESTS_RECALL_H_
#define MANYARMS_TESTS_RECALL_H_

#include <cstdint>
#include <span>

#include "search/searcher.h"
#include "testing.h"

namespace manyarms::testing {

/// How often a search finds what a scan finds, after some questions that it may
/// need to get under way.
inline double Recall(const ArmStore& store, std::span<const Slot> slots,
                     const SearchOptions& options, std::uint64_t seed = 1) {
  constexpr std::uint64_t kQueries = 400;
  constexpr std::uint64_t kBefore = 2;
  constexpr auto kObjective = Objective::kInnerProduct;
  const auto scan =
      std::make_unique<Searcher>(ScanOptions{}, kObjective, store, 1);
  const auto search =
      std::make_unique<Searcher>(options, kObjective, store, seed);
  scan->Add(slots);
  search->Add(slots);
  int right = 0;
  for (std::uint64_t i = 0; i < kQueries + kBefore; ++i) {
    Eigen::VectorXd q(static_cast<Eigen::Index>(store.dim()));
    RandomStream(2, RandomStream::Role::kTheta, i)
        .Gaussians(std::span(q.data(), store.dim()));
    const Slot expected = scan->Best({.direction = &q})->slot;
    const Slot found = search->Best({.direction = &q})->slot;
    right += i >= kBefore && found == expected ? 1 : 0;
  }
  return right / static_cast<double>(kQueries);
}

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_RECALL_H_
