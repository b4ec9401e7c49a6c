#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "in_a_folder.h"
#include "manyarms/population.h"
#include "paths.h"
#include "saved_bytes.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

constexpr std::size_t kDim = 3;

PopulationOptions Options(const PolicyOptions& policy) {
  return {.dim = kDim, .policy = policy, .seed = 9};
}

// Three learners with pending decisions, one that has only chosen, and one arm
// that is gone.
Population MakePopulation(const PopulationOptions& options) {
  Population population(options);
  population.Add(testing::FirstIds(20), testing::GaussianRows(20, kDim, 1));
  population.Remove(7);
  for (int t = 0; t < 30; ++t) {
    const LearnerKey key = t % 3 == 0   ? LearnerKey("a")
                           : t % 3 == 1 ? LearnerKey(5U)
                                        : LearnerKey("b");
    const Decision decision = population.Choose(key);
    if (t % 4 != 1) population.Learn(key, decision.id, 0.1 * t);
  }
  population.Choose("new");
  return population;
}

std::string Bytes(const Population& population) {
  std::ostringstream out;
  population.Save(out);
  return out.str();
}

Population Loaded(const std::string& bytes) {
  std::istringstream in(bytes);
  return Population::Load(in);
}

void ExpectSameFuture(Population& one, Population& other,
                      const LearnerKey& key) {
  for (int t = 0; t < 50; ++t) {
    const Decision a = one.Choose(key);
    const Decision b = other.Choose(key);
    ASSERT_EQ(a.id, b.id);
    ASSERT_EQ(a.arm, b.arm);
    ASSERT_EQ(a.score, b.score);
    one.Learn(key, a.id, 0.01 * t);
    other.Learn(key, b.id, 0.01 * t);
  }
}

class SavedPopulations : public ::testing::TestWithParam<PopulationOptions> {};

TEST_P(SavedPopulations, GoOnAsTheyWouldHave) {
  Population population = MakePopulation(GetParam());
  const std::string bytes = Bytes(population);
  Population loaded = Loaded(bytes);
  EXPECT_EQ(loaded.options(), population.options());
  EXPECT_EQ(loaded.Ids(), population.Ids());
  EXPECT_EQ(loaded.Learners(), population.Learners());
  for (const LearnerKey& key : population.Learners()) {
    EXPECT_EQ(loaded.Describe(key).pending, population.Describe(key).pending);
    ExpectSameFuture(population, loaded, key);
  }
}

TEST_P(SavedPopulations, RefuseEveryDamage) {
  const std::string bytes = Bytes(MakePopulation(GetParam()));
  const auto refused = [](const std::string& damaged) {
    try {
      Loaded(damaged);
    } catch (const Error& error) {
      return error.code() == ErrorCode::kCorrupt;
    }
    return false;
  };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(bytes[i] ^ 0x5a);
    ASSERT_TRUE(refused(damaged)) << "byte " << i;
    ASSERT_TRUE(refused(bytes.substr(0, i))) << "cut after " << i;
  }
  EXPECT_TRUE(refused(bytes + "x"));
}

// With a right checksum behind wrong contents, loading may fail or give a
// population that works, but must not crash.
TEST_P(SavedPopulations, SurviveForgedFiles) {
  const std::string whole = Bytes(MakePopulation(GetParam()));
  const std::string bytes = whole.substr(0, whole.size() - 4);
  int loaded = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    RandomStream random(1, RandomStream::Role::kChurn, i);
    std::string forged = bytes;
    for (int flips = 0; flips < 2; ++flips) {
      forged[random.Below(forged.size())] =
          static_cast<char>(random.Below(256));
    }
    try {
      Population population = Loaded(testing::WithChecksum(forged));
      ++loaded;
      for (const LearnerKey& key : population.Learners()) {
        if (population.size() > 0) population.Choose(key);
      }
    } catch (const Error&) {
    }
  }
  EXPECT_GT(loaded, 100);
}

TEST_P(SavedPopulations, LearnersMoveFromOneToAnother) {
  Population population = MakePopulation(GetParam());
  Population other(GetParam());
  other.Add(testing::FirstIds(20), testing::GaussianRows(20, kDim, 1));
  other.Remove(7);
  for (const LearnerKey& key : population.Learners()) {
    const auto exported = population.Export(key);
    other.Import(key, exported);
    EXPECT_EQ(other.Export(key), exported);
    // With a shared prior, one that has learned nothing begins with what the
    // others here have taught.
    if (population.Describe(key).rewards > 0 ||
        !std::holds_alternative<SharedPrior>(GetParam().prior)) {
      ExpectSameFuture(population, other, key);
    }
    // Over one that exists.
    other.Import(key, exported);
    EXPECT_EQ(other.Export(key), exported);
  }
}

TEST_P(SavedPopulations, RefuseWhatIsNotAnExportedLearner) {
  Population population = MakePopulation(GetParam());
  const auto before = Bytes(population);
  const auto exported = population.Export("a");
  for (std::size_t i = 0; i < exported.size(); ++i) {
    auto damaged = exported;
    damaged[i] ^= std::byte{0x21};
    ExpectError(ErrorCode::kCorrupt, {"not a whole saved"},
                [&] { population.Import("a", damaged); });
    damaged.resize(i);
    ExpectError(ErrorCode::kCorrupt, {"not a whole saved"},
                [&] { population.Import("a", damaged); });
  }
  EXPECT_EQ(Bytes(population), before);
}

PopulationOptions WithPrior(const PopulationPrior& prior) {
  PopulationOptions options = Options(ThompsonOptions{});
  options.prior = prior;
  return options;
}

constexpr std::array kNames = {"Thompson", "Ucb", "GivenPrior", "SharedPrior"};

// After the 23 rewards of MakePopulation a shared prior is learned anew at the
// 64th.
INSTANTIATE_TEST_SUITE_P(
    All, SavedPopulations,
    ::testing::Values(Options(ThompsonOptions{}), Options(UcbOptions{}),
                      WithPrior(GaussianPrior{
                          .mean = {1, 0, -2},
                          .precision = {2, 1, 0, 1, 2, 0, 0, 0, 3}}),
                      WithPrior(SharedPrior{.refit_growth = 0.5})),
    [](const auto& c) { return kNames[c.index]; });

// A later version has other formats.
TEST(SavedPopulation, OfALaterVersionIsUnsupported) {
  Population population = MakePopulation(Options(ThompsonOptions{}));
  const auto later = [](std::string bytes, std::size_t at) {
    bytes.resize(bytes.size() - 4);
    bytes[at] = 99;
    return testing::WithChecksum(bytes);
  };
  // The formats of populations and of options follow the magic word.
  for (const std::size_t at : {8U, 12U}) {
    ExpectError(ErrorCode::kUnsupported, {"format 99"},
                [&] { Loaded(later(Bytes(population), at)); });
  }
  const auto exported = population.Export("a");
  const std::string text(reinterpret_cast<const char*>(exported.data()),
                         exported.size());
  const std::string changed = later(text, 8);
  ExpectError(ErrorCode::kUnsupported, {"format 99"}, [&] {
    population.Import("a", std::as_bytes(std::span(changed)));
  });
}

// Files of format 1, which knows neither contexts nor priors, were written by
// the version that had it: 5 arms, learners 5 and "a" with 4 rewards each.
TEST(SavedPopulation, ReadsFormatOne) {
  const std::filesystem::path folder = testing::TestFolder() / "data" / "saved";
  Population loaded = Population::Load(folder / "population-1");
  EXPECT_EQ(loaded.options(), Options(ThompsonOptions{}));
  EXPECT_EQ(loaded.size(), 5U);
  EXPECT_EQ(loaded.Learners(), (std::vector<LearnerKey>{5U, "a"}));
  EXPECT_EQ(loaded.Describe("a").rewards, 4U);
  EXPECT_EQ(loaded.Describe("a").pending, 2U);

  std::ifstream file(folder / "learner-1", std::ios::binary);
  const std::string learner(std::istreambuf_iterator<char>(file), {});
  loaded.Import("b", std::as_bytes(std::span(learner)));
  EXPECT_EQ(loaded.Mean("b"), loaded.Mean("a"));
  loaded.Import("a", std::as_bytes(std::span(learner)));
  EXPECT_EQ(loaded.Describe("a").pending, 2U);
}

// Files of format 2, which has contexts and priors, but neither clicks nor
// forgetting: the population that MakePopulation makes.
TEST(SavedPopulation, ReadsFormatTwo) {
  const std::filesystem::path folder = testing::TestFolder() / "data" / "saved";
  Population loaded = Population::Load(folder / "population-2");
  Population expected = MakePopulation(Options(UcbOptions{}));
  EXPECT_EQ(loaded.options(), expected.options());
  EXPECT_EQ(loaded.Learners(), expected.Learners());
  ExpectSameFuture(loaded, expected, 5U);

  std::ifstream file(folder / "learner-2", std::ios::binary);
  const std::string learner(std::istreambuf_iterator<char>(file), {});
  expected.Import("a", std::as_bytes(std::span(learner)));
  ExpectSameFuture(loaded, expected, "a");
}

// It would ask in the name of the prior, and spoil the order of new learners.
TEST(ExportedLearners, HaveRewardsIfTheyHaveLearned) {
  Population population = MakePopulation(Options(ThompsonOptions{}));
  const auto exported = population.Export("a");
  const std::uint64_t rewards = population.Describe("a").rewards;
  std::string text(reinterpret_cast<const char*>(exported.data()),
                   exported.size() - 4);
  // The number of rewards follows the counters of choices and decisions, and a
  // byte that says that it has learned.
  const auto word = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, text.data() + at, sizeof value);
    return value;
  };
  std::size_t at = 0;
  while (word(at) != population.Describe("a").choices ||
         word(at + 17) != rewards) {
    ++at;
    ASSERT_LT(at + 25, text.size());
  }
  const std::uint64_t none = 0;
  std::memcpy(text.data() + at + 17, &none, sizeof none);
  const std::string forged = testing::WithChecksum(text);
  ExpectError(ErrorCode::kCorrupt, {"no rewards"}, [&] {
    population.Import("b", std::as_bytes(std::span(forged)));
  });
}

TEST(ExportedLearners, FitOnlyWhereTheyBelong) {
  const Population population = MakePopulation(Options(ThompsonOptions{}));
  const auto exported = population.Export("a");
  const auto refused = [&](const PopulationOptions& options,
                           const std::vector<std::string>& parts) {
    Population other(options);
    ExpectError(ErrorCode::kInvalidArgument, parts,
                [&] { other.Import("a", exported); });
    EXPECT_EQ(other.learners(), 0U);
  };
  refused(Options(UcbOptions{}), {"ts", "ucb"});
  refused({.dim = 4}, {"3 features", "4 features"});
  refused({.dim = kDim, .regularisation = 2}, {"regularisation 2"});
  refused({.dim = kDim, .negative_rewards = true}, {"with negative rewards"});
  refused({.dim = kDim, .max_pending = 5}, {"1024", "at most 5 pending"});
  Population wider({.dim = kDim, .max_pending = 2000});
  wider.Import("a", exported);
  EXPECT_EQ(wider.Describe("a").pending, population.Describe("a").pending);
}

using SavedPopulationFile = testing::InAFolder;

TEST_F(SavedPopulationFile, IsReadBack) {
  const Population population = MakePopulation(Options(ThompsonOptions{}));
  population.Save(folder_ / "shop");
  const Population loaded = Population::Load(folder_ / "shop");
  EXPECT_EQ(Bytes(loaded), Bytes(population));
  ExpectError(ErrorCode::kIo, {"missing"},
              [&] { Population::Load(folder_ / "missing"); });
}

TEST(SavedPopulation, IsNoBandit) {
  const std::string bandit =
      testing::Bytes(testing::MakeBandit(PolicyOptions(ThompsonOptions{})));
  ExpectError(ErrorCode::kCorrupt, {"not begin like"}, [&] { Loaded(bandit); });
}

}  // namespace
}  // namespace manyarms
