#include "search/searcher.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

constexpr std::size_t kDim = 6;

TEST(MakeIndex, RefusesFilterTreesThatCannotWork) {
  const ArmStore store(kDim);
  const ArmStore wide(257);
  const auto expect = [](ErrorCode code, const std::vector<std::string>& parts,
                         const SearchOptions& options, Objective objective,
                         const ArmStore& arms) {
    ExpectError(code, parts, [&] {
      std::make_unique<Searcher>(options, objective, arms, 1);
    });
  };
  constexpr auto kBad = ErrorCode::kInvalidArgument;
  constexpr auto kProduct = Objective::kInnerProduct;
  const auto bad = [&](const std::vector<std::string>& parts,
                       const SearchOptions& options) {
    expect(kBad, parts, options, kProduct, store);
  };
  bad({"success is 0", "0.01"}, LshOptions{.success = 0});
  bad({"success is 1", "0.9999"}, LshOptions{.success = 1});
  bad({"min depth is 4", "3"}, LshOptions{.min_depth = 4});
  bad({"tree bytes is 5", "1e+06"}, LshOptions{.max_bytes = 5});
  bad({"ladder is 0", "0.0006"}, LshTheoryOptions{.accuracy = 0});
  bad({"ladder is 2", "1"}, LshTheoryOptions{.accuracy = 2});
  bad({"delta is 0", "1e-100"}, LshTheoryOptions{.delta = 0});
  bad({"copies is 1000001", "1000000"}, LshTheoryOptions{.copies = 1'000'001});
  bad({"min depth is 9", "3"}, LshTheoryOptions{.min_depth = 9});
  bad({"threads is 0", "1024"}, LshTheoryOptions{.threads = 0});
  for (const SearchOptions& options :
       {SearchOptions{LshOptions{}}, SearchOptions{LshTheoryOptions{}}}) {
    const std::string name(SearchName(options));
    expect(ErrorCode::kUnsupported, {"ucb", name, "certified"}, options,
           Objective::kOptimism, store);
    expect(ErrorCode::kUnsupported, {name, "257", "256"}, options,
           Objective::kQuadraticForm, wide);
  }
}

TEST(MakeIndex, RefusesWhatCannotWork) {
  const ArmStore store(kDim);
  const auto make = [&](HnswOptions options, Objective objective,
                        const ArmStore& arms) {
    return
        [=, &arms] { std::make_unique<Searcher>(options, objective, arms, 1); };
  };
  ExpectError(ErrorCode::kUnsupported, {"ucb", "hnsw", "certified"},
              make({}, Objective::kOptimism, store));
  ExpectError(ErrorCode::kInvalidArgument, {"shortlist is 0"},
              make({.shortlist = 0}, Objective::kInnerProduct, store));
  ExpectError(ErrorCode::kInvalidArgument, {"links is 1,", "1024"},
              make({.links = 1}, Objective::kInnerProduct, store));
  ExpectError(ErrorCode::kInvalidArgument, {"build effort is 0"},
              make({.build_effort = 0}, Objective::kInnerProduct, store));
  const ArmStore wide(257);
  ExpectError(ErrorCode::kUnsupported, {"257", "256"},
              make({}, Objective::kQuadraticForm, wide));
}

}  // namespace
}  // namespace manyarms
