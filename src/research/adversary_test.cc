#include "manyarms/research/adversary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "no_new_threads.h"
#include "research/rim_adversary.h"
#include "research/share_interval.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

AdversaryOptions Small() {
  AdversaryOptions options;
  options.points = 200;
  options.sequences = 12;
  options.queries = 300;
  options.copies = {1, 0};
  return options;
}

double Share(std::uint64_t failed, const AdversaryOptions& options) {
  return static_cast<double>(failed) /
         static_cast<double>(options.sequences * options.queries);
}

TEST(Adversary, BreaksOneCopyAndNotAlgorithmOne) {
  const AdversaryOptions options = Small();
  const auto results = RunAdversary(options);
  ASSERT_EQ(results.size(), 4U);
  const AdversaryResult& fixed = results[0];
  const AdversaryResult& single = results[1];
  const AdversaryResult& formula = results[3];
  EXPECT_FALSE(fixed.adaptive);
  EXPECT_EQ(formula.copies_by, CopiesBy::kFormula);
  // One copy promises success 0.9 for queries that do not depend on it.
  EXPECT_GT(fixed.failed_queries, 0U);
  EXPECT_LT(Share(fixed.failed_queries, options), 0.1);
  EXPECT_GT(Share(single.failed_queries, options), 0.5);
  EXPECT_GT(single.failures_at.back(), options.sequences / 2);
  EXPECT_EQ(formula.failed_queries, 0U);
  // The adversary found queries at which the first copy fails, but later copies
  // answered them.
  EXPECT_GT(formula.most_copies_asked, 1U);
  for (const AdversaryResult& result : results) {
    EXPECT_EQ(result.wrong_answers, 0U);
  }
}

TEST(Adversary, CountsAreConsistent) {
  const AdversaryOptions options = Small();
  for (const AdversaryResult& result : RunAdversary(options)) {
    std::uint64_t sum = 0;
    for (const std::uint64_t failures : result.failures_at) {
      EXPECT_LE(failures, options.sequences);
      sum += failures;
    }
    EXPECT_EQ(sum, result.failed_queries);
    EXPECT_GE(result.copies_asked, options.sequences * options.queries);
  }
}

TEST(Adversary, DoesNotDependOnTheNumberOfThreads) {
  AdversaryOptions options = Small();
  options.sequences = 5;
  options.queries = 60;
  options.copies = {1, 3};
  const auto one = RunAdversary(options);
  options.threads = 3;
  double last = 0;
  const auto three = RunAdversary(options, [&last](double done) {
    EXPECT_GT(done, last);
    last = done;
  });
  EXPECT_EQ(last, 1);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].failures_at, three[i].failures_at);
    EXPECT_EQ(one[i].copies_asked, three[i].copies_asked);
    EXPECT_EQ(one[i].most_copies_asked, three[i].most_copies_asked);
  }
  {
    const testing::NoNewThreads no_new_threads;
    const auto lonely = RunAdversary(options);
    ASSERT_EQ(one.size(), lonely.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].failures_at, lonely[i].failures_at);
    }
  }
  options.seed = 2;
  EXPECT_NE(RunAdversary(options)[1].failures_at, one[1].failures_at);
}

TEST(Adversary, RefusesValuesOutOfBounds) {
  const auto expect = [](const std::vector<std::string>& parts,
                         const auto& change) {
    AdversaryOptions options = Small();
    change(options);
    ExpectError(ErrorCode::kInvalidArgument, parts,
                [&] { RunAdversary(options); });
  };
  using Options = AdversaryOptions;
  expect({"dimension is 1"}, [](Options& o) { o.dim = 1; });
  expect({"points is 0"}, [](Options& o) { o.points = 0; });
  expect({"ratio is 2"}, [](Options& o) { o.ratio = 2; });
  expect({"sought is 0.92", "0.9"}, [](Options& o) { o.sought = 0.92; });
  expect({"slack is 0,"}, [](Options& o) { o.slack = 0; });
  expect({"slack is nan"}, [](Options& o) { o.slack = std::nan(""); });
  expect({"delta is 0,"}, [](Options& o) { o.delta = 0; });
  expect({"success is 1,"}, [](Options& o) { o.success = 1; });
  expect({"sequences is 0"}, [](Options& o) { o.sequences = 0; });
  expect({"queries is 0"}, [](Options& o) { o.queries = 0; });
  expect({"copies", "is 0,"}, [](Options& o) { o.copies.clear(); });
  expect({"copies is 20000"}, [](Options& o) { o.copies = {20000}; });
  expect({"threads is 0"}, [](Options& o) { o.threads = 0; });
}

// Queries have length 1 and just reach the inner product that entitles them to
// an answer, whatever the answers are.
TEST(RimAdversary, StaysOnTheRim) {
  lsh::PointTable points(3);
  points.Add(std::vector<float>{1, 0, 0});
  points.Add(std::vector<float>{0, 0.9F, 0.4F});
  RimAdversary adversary(points, 0.8, 0.4,
                         RandomStream(1, RandomStream::Role::kAdversary, 0));
  for (std::size_t i = 0; i < 200; ++i) {
    const std::span<const double> q = adversary.Next();
    EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2], 1, 1e-9);
    const double best = std::max(q[0], 0.9F * q[1] + 0.4F * q[2]);
    EXPECT_GE(best, 0.8);
    adversary.Hear(i % 3 != 0, i % 4);
  }
}

TEST(RimAdversary, StaysAtQueriesThatFail) {
  lsh::PointTable points(2);
  points.Add(std::vector<float>{1, 0});
  RimAdversary adversary(points, 0.8, 0.4,
                         RandomStream(1, RandomStream::Role::kAdversary, 0));
  const auto side = [&adversary] { return adversary.Next()[1] > 0; };
  // In the plane a rim has two places. This solver never answers at the upper
  // one.
  bool found = false;
  for (int i = 0; i < 100; ++i) {
    const bool upper = side();
    EXPECT_TRUE(upper || !found) << "query " << i;
    found = found || upper;
    adversary.Hear(!upper, 1);
  }
  EXPECT_TRUE(found);
}

TEST(ShareAtMost, IsTheClopperPearsonBound) {
  // For 0 of n the bound is 1 - (alpha / 2)^(1 / n).
  EXPECT_NEAR(ShareAtMost(0, 200, 0.99), 1 - std::pow(0.005, 1.0 / 200), 1e-12);
  // For 10 of 100 at 95 %, published tables give 4.9 % to 17.62 %.
  EXPECT_NEAR(ShareAtMost(10, 100, 0.95), 0.1762, 1e-4);
  EXPECT_EQ(ShareAtMost(7, 7, 0.99), 1);
}

TEST(ThoughtExperiment, IsSolvedByAdaptiveQueriesOnly) {
  const ThoughtExperiment thought = RunThoughtExperiment(10, 200, 1);
  EXPECT_GT(thought.smallest_adaptive, 1 - 1e-9);
  EXPECT_LE(thought.smallest_adaptive, 1 + 1e-9);
  // Inner products of random unit vectors are nearly normal with standard
  // deviation 1 / sqrt(10). The median of the best of 11 is near their 0.94
  // quantile, which is 1.55 standard deviations.
  EXPECT_NEAR(thought.median_non_adaptive, 0.49, 0.06);
  EXPECT_LT(thought.largest_non_adaptive, 0.99);
  EXPECT_GT(thought.largest_non_adaptive, thought.median_non_adaptive);
  ExpectError(ErrorCode::kInvalidArgument, {"dimension is 0"},
              [] { RunThoughtExperiment(0, 10, 1); });
  ExpectError(ErrorCode::kInvalidArgument, {"repetitions is 0"},
              [] { RunThoughtExperiment(10, 0, 1); });
}

}  // namespace
}  // namespace manyarms
