#include "service/engine/open_decisions.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "manyarms/error.h"
#include "service/engine/limits.h"
#include "service/engine/open_text.h"

namespace manyarms::service {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

struct Learners {
  Learners() {
    for (unsigned i = 0; i < 3; ++i) {
      all.push_back(
          std::make_unique<ServedLearner>("learner", std::uint64_t{i} << 40));
    }
  }
  std::vector<std::unique_ptr<ServedLearner>> all;
};

OpenDecision DecisionOf(Sequence sequence, ServedLearner& learner) {
  return {.sequence = sequence,
          .time = static_cast<double>(sequence) / 3,
          .number = sequence * 1000,
          .learner = &learner,
          .chooser = static_cast<Chooser>(sequence % 3),
          .active = sequence % 2 == 0};
}

void ExpectSame(const OpenDecision& one, const OpenDecision& other) {
  EXPECT_EQ(one.sequence, other.sequence);
  EXPECT_EQ(one.time, other.time);
  EXPECT_EQ(one.number, other.number);
  EXPECT_EQ(one.learner, other.learner);
  EXPECT_EQ(one.chooser, other.chooser);
  EXPECT_EQ(one.active, other.active);
}

TEST(OpenDecisions, HaveWhatAMapHas) {
  const Learners learners;
  OpenDecisions open;
  std::map<Sequence, OpenDecision> expected;
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed)
  Sequence next = 1;
  for (int step = 0; step < 6000; ++step) {
    const unsigned what = random() % 8;
    auto any = expected.begin();
    std::advance(any, expected.empty() ? 0 : random() % expected.size());
    if (what < 4 || expected.empty()) {
      ServedLearner& learner = *learners.all[random() % 3];
      OpenDecisions::Room room = open.MakeRoom(2, kNoLimit);
      room.Add(DecisionOf(next, learner));
      expected[next] = DecisionOf(next, learner);
      next += 1 + random() % 3;
    } else if (what < 7) {
      open.Remove(any->first);
      expected.erase(any);
    } else {
      open.Activate(any->first);
      any->second.active = true;
    }
    ASSERT_EQ(open.size(), expected.size());
    const Sequence asked = random() % next;
    ASSERT_EQ(open.Find(asked).has_value(), expected.contains(asked));
    if (step % 100 != 0) continue;
    for (const auto& [sequence, decision] : expected) {
      ExpectSame(*open.Find(sequence), decision);
      EXPECT_EQ(open.StripeOf(sequence),
                ServedLearners::StripeNumber(decision.learner->hash));
    }
    for (const auto& learner : learners.all) {
      std::vector<Sequence> own;
      for (const auto& [sequence, decision] : expected) {
        if (decision.learner == learner.get()) own.push_back(sequence);
      }
      std::vector<Sequence> found;
      for (const OpenDecision& one : open.Of(*learner)) {
        found.push_back(one.sequence);
      }
      ASSERT_EQ(found, own);
      ASSERT_EQ(open.CountOf(*learner), own.size());
      ASSERT_EQ(open.OldestOf(*learner).has_value(), !own.empty());
    }
  }
  open.Clear();
  EXPECT_EQ(open.size(), 0U);
  EXPECT_EQ(open.CountOf(*learners.all[0]), 0U);
}

TEST(OpenDecisions, AreDueInTheirOrder) {
  const Learners learners;
  OpenDecisions open;
  {
    OpenDecisions::Room room = open.MakeRoom(5, kNoLimit);
    for (const Sequence sequence : {15U, 3U, 9U, 12U, 6U}) {
      room.Add(DecisionOf(sequence, *learners.all[sequence % 2]));
    }
  }
  open.Sort();
  std::vector<Sequence> due;
  for (const auto& one : open.MadeUntil(4, 100, 10))
    due.push_back(one.decision);
  EXPECT_EQ(due, (std::vector<Sequence>{3, 6, 9, 12}));
  EXPECT_EQ(open.MadeUntil(4, 100, 2).size(), 2U);
  EXPECT_TRUE(open.MadeUntil(0.5, 100, 2).empty());
  EXPECT_EQ(open.OldestOf(*learners.all[1])->sequence, 3U);
}

TEST(OpenDecisions, HaveALimitThatCountsRoomsToo) {
  const Learners learners;
  OpenDecisions open;
  {
    OpenDecisions::Room room = open.MakeRoom(2, 3);
    room.Add(DecisionOf(1, *learners.all[0]));
    try {
      open.MakeRoom(2, 3);
      FAIL() << "there is no room";
    } catch (const Refused& refused) {
      EXPECT_EQ(refused.why(), Refusal::kTooMany);
      EXPECT_NE(std::string(refused.what()).find('3'), std::string::npos);
    }
  }
  // The room that was not used is free again.
  OpenDecisions::Room room = open.MakeRoom(2, 3);
  room.Add(DecisionOf(2, *learners.all[0]));
  room.Add(DecisionOf(3, *learners.all[0]));
  EXPECT_EQ(open.size(), 3U);
}

TEST(OpenDecisions, AddUpParts) {
  const Learners learners;
  OpenDecisions open;
  open.MakeRoom(1, kNoLimit).Add(DecisionOf(1, *learners.all[0]));
  EXPECT_EQ(open.PartsOf(1), std::nullopt);
  for (const double part : {3.0, 0.5, 1.0}) open.AddPart(1, part);
  const RewardParts parts = open.PartsOf(1).value();
  EXPECT_EQ(parts.first, 3);
  EXPECT_EQ(parts.sum, 4.5);
  EXPECT_EQ(parts.last, 1);
  open.Remove(1);
  EXPECT_EQ(open.PartsOf(1), std::nullopt);
}

TEST(OpenText, IsReadAsItWasWritten) {
  const Learners learners;
  SavedOpen saved{.id_bits = ~std::uint64_t{0} << 40};
  for (Sequence sequence = 1; sequence < 7; ++sequence) {
    saved.decisions.push_back({DecisionOf(sequence, *learners.all[0]), {}});
    saved.decisions.back().decision.time =
        1.79e9 + 0.1 * static_cast<double>(sequence);
  }
  saved.decisions[2].parts = RewardParts{.first = 0.1, .sum = -3, .last = 1e-9};
  const SavedOpen read = ParseOpen(ToText(saved));
  EXPECT_EQ(read.id_bits, saved.id_bits);
  ASSERT_EQ(read.decisions.size(), saved.decisions.size());
  for (std::size_t i = 0; i < read.decisions.size(); ++i) {
    OpenDecision expected = saved.decisions[i].decision;
    expected.learner = nullptr;
    ExpectSame(read.decisions[i].decision, expected);
    EXPECT_EQ(read.decisions[i].parts.has_value(), i == 2);
  }
  EXPECT_EQ(read.decisions[2].parts->first, 0.1);
  EXPECT_EQ(read.decisions[2].parts->sum, -3);
  EXPECT_EQ(read.decisions[2].parts->last, 1e-9);
  EXPECT_EQ(ToText({}), "");
  EXPECT_TRUE(ParseOpen("").decisions.empty());
}

TEST(OpenText, RefusesWhatItCannotHaveWritten) {
  for (const char* text :
       {"{", "[]", "{\"id\":-1}", R"({"id":1,"decisions":{}})", "{\"x\":1}",
        R"({"id":1,"decisions":[{"chooser":3}]})", "{} x",
        R"({"id":1,"decisions":[{"learner":"u"}]})"}) {
    EXPECT_THROW(ParseOpen(text), Error) << text;
  }
}

}  // namespace
}  // namespace manyarms::service
