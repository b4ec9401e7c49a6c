// A population that is made again from what somebody has written down decides
// as the one that did not stop.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "manyarms/population.h"
#include "testing.h"

namespace manyarms {
namespace {

constexpr std::size_t kDim = 4;
constexpr std::size_t kMostPending = 40;

// A population, and what its user writes down about it.
struct Recorded {
  struct Event {
    std::string learner;
    std::vector<PastDecision> decisions;  // none if it is a reward
    DecisionId rewarded = 0;
    double reward = 0;
  };

  explicit Recorded(const PopulationOptions& options) : population(options) {}

  void Add(ArmId id, const std::vector<float>& row) {
    population.Add(id, row);
    const ArmPlace place = population.catalogue().Places({&id, 1}).front();
    std::erase(free, place);
    arms[place] = id;
    features[id] = row;
  }

  void Remove(ArmId id) {
    const ArmPlace place = population.catalogue().Places({&id, 1}).front();
    population.Remove(id);
    arms.erase(place);
    free.push_back(place);
  }

  std::vector<Decision> Choose(const std::string& learner, std::size_t count) {
    const std::vector<Decision> made = population.ChooseBest(learner, count);
    Event event{.learner = learner, .decisions = {}};
    for (const Decision& decision : made) {
      kept.push_back(features.at(decision.arm));
      event.decisions.push_back({.arm = decision.arm,
                                 .features = kept.back(),
                                 .eligible = decision.eligible});
      open.emplace_back(learner, decision.id);
    }
    // Those that are too old are pending no more.
    const DecisionId newest = made.back().id;
    std::erase_if(open, [&](const auto& one) {
      return one.first == learner && one.second + kMostPending <= newest;
    });
    events.push_back(event);
    return made;
  }

  void Learn(std::size_t place, double reward) {
    const auto [learner, id] = open.at(place);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
    population.Learn(learner, id, reward);
    events.push_back({learner, {}, id, reward});
  }

  PlacedArms Arms() {
    ids.clear();
    places.clear();
    rows.clear();
    for (const auto& [place, id] : arms) {
      ids.push_back(id);
      places.push_back(place);
      rows.insert(rows.end(), features.at(id).begin(), features.at(id).end());
    }
    return {.ids = ids, .places = places, .features = rows, .free = free};
  }

  Population population;
  std::map<ArmPlace, ArmId> arms;
  std::map<ArmId, std::vector<float>> features;
  std::vector<ArmPlace> free;
  std::list<std::vector<float>> kept;
  std::vector<Event> events;
  std::vector<std::pair<std::string, DecisionId>> open;
  std::vector<ArmId> ids;
  std::vector<ArmPlace> places;
  std::vector<float> rows;
};

std::vector<float> RandomRow(std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> row(kDim);
  for (float& value : row) value = normal(random);
  return row;
}

// Some hundred random calls, among few arms that come and go.
void Play(Recorded& recorded, std::mt19937& random, ArmId& next) {
  for (int step = 0; step < 400; ++step) {
    const unsigned what = random() % 8;
    if (what < 2 || recorded.arms.size() < 5) {
      recorded.Add(next++, RandomRow(random));
    } else if (what == 2) {
      auto at = recorded.arms.begin();
      std::advance(at, random() % recorded.arms.size());
      recorded.Remove(at->second);
    } else if (what < 6 || recorded.open.empty()) {
      recorded.Choose(fmt::format("u{}", random() % 5), 1 + random() % 3);
    } else {
      recorded.Learn(random() % recorded.open.size(),
                     static_cast<double>(random() % 100) / 50);
    }
  }
}

PopulationOptions Options() {
  return {.dim = kDim,
          .rewards = RewardModel::kLinear,
          .explore_uniform = 0.3,
          .seed = 5,
          .max_pending = kMostPending};
}

// Events of exported learners are not redone.
Population Restored(Recorded& recorded,
                    const std::vector<std::string>& exported,
                    Population& former) {
  Population restored(Options());
  restored.AddPlaced(recorded.Arms());
  for (const std::string& learner : exported) {
    restored.Import(learner, former.Export(learner));
  }
  for (const Recorded::Event& event : recorded.events) {
    if (std::ranges::count(exported, event.learner) > 0) continue;
    if (!event.decisions.empty()) {
      restored.Redo(event.learner, event.decisions);
    } else {
      restored.Learn(event.learner, event.rewarded, event.reward);
    }
  }
  return restored;
}

TEST(RestoredPopulation, DecidesAsTheOneThatDidNotStop) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    ArmId next = 0;
    Recorded recorded(Options());
    Play(recorded, random, next);
    const std::vector<std::string> exported =
        seed % 2 == 0 ? std::vector<std::string>{"u0", "u3"}
                      : std::vector<std::string>{};
    Population restored = Restored(recorded, exported, recorded.population);
    EXPECT_EQ(restored.Ids(), recorded.population.Ids());
    // Arms that come now must get the same places.
    for (int step = 0; step < 300; ++step) {
      const std::string learner = fmt::format("u{}", random() % 6);
      const Decision expected = recorded.Choose(learner, 1).front();
      const Decision decision = restored.ChooseBest(learner, 1).front();
      ASSERT_EQ(decision.id, expected.id) << "seed " << seed;
      ASSERT_EQ(decision.arm, expected.arm) << "seed " << seed;
      ASSERT_EQ(decision.score, expected.score) << "seed " << seed;
      ASSERT_EQ(decision.uniform, expected.uniform) << "seed " << seed;
      const auto reward = static_cast<double>(random() % 7);
      recorded.population.Learn(learner, expected.id, reward);
      restored.Learn(learner, decision.id, reward);
      if (step % 5 == 0) {
        const std::vector<float> row = RandomRow(random);
        restored.Add(next, row);
        recorded.Add(next++, row);
      }
    }
  }
}

TEST(RestoredPopulation, RefusesPlacesThatCannotBe) {
  const std::vector<ArmId> ids = {1, 2};
  const std::vector<float> rows(2 * kDim, 0.5F);
  const auto refused = [&](const std::vector<ArmPlace>& places,
                           const std::vector<ArmPlace>& free) {
    Population population(Options());
    try {
      population.AddPlaced(
          {.ids = ids, .places = places, .features = rows, .free = free});
    } catch (const Error& error) {
      return error.code() == ErrorCode::kInvalidArgument &&
             population.size() == 0;
    }
    return false;
  };
  EXPECT_FALSE(refused({0, 1}, {}));
  EXPECT_FALSE(refused({0, 2}, {1}));
  EXPECT_TRUE(refused({0, 2}, {}));
  EXPECT_TRUE(refused({1, 0}, {}));
  EXPECT_TRUE(refused({0, 2}, {1, 1}));
  EXPECT_TRUE(refused({0, 2}, {3}));
  EXPECT_TRUE(refused({0, 1}, {0}));
  EXPECT_TRUE(refused({0}, {}));
}

TEST(RestoredPopulation, LearnsForTheArmThatADecisionWasReassigned) {
  Population reassigned(Options());
  Population observed(Options());
  std::mt19937 random(3);  // NOLINT(bugprone-random-generator-seed)
  for (ArmId id = 0; id < 6; ++id) {
    const std::vector<float> row = RandomRow(random);
    reassigned.Add(id, row);
    observed.Add(id, row);
  }
  const Decision decision = reassigned.Choose("a");
  const ArmId other = (decision.arm + 1) % 6;
  reassigned.Reassign("a", decision.id, other);
  reassigned.Learn("a", decision.id, 2.5);
  observed.Observe("a", other, 2.5);
  EXPECT_EQ(reassigned.Mean("a"), observed.Mean("a"));
  testing::ExpectError(ErrorCode::kUnknownId, {"learned or dismissed"},
                       [&] { reassigned.Reassign("a", decision.id, other); });
}

}  // namespace
}  // namespace manyarms
