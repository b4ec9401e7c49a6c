// What is damaged or forged is refused, or is a bandit that works.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>

#include "manyarms/bandit.h"
#include "policy/kinds.h"
#include "saved_bytes.h"
#include "search/kinds.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::Bytes;
using testing::ExpectError;
using testing::Loaded;
using testing::MakeBandit;
using testing::Policies;
using testing::WithChecksum;

// One byte has any other value, or is missing, or there is one too many.
TEST(Saved, RefusesEveryDamage) {
  for (const PolicyOptions& policy : Policies()) {
    const std::string bytes = Bytes(MakeBandit(policy));
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
      for (int flip = 1; flip < 256; flip += flip < 8 ? 1 : 31) {
        damaged[i] = static_cast<char>(bytes[i] ^ flip);
        ASSERT_TRUE(refused(damaged)) << "byte " << i << " ^ " << flip;
      }
      ASSERT_TRUE(refused(bytes.substr(0, i))) << "cut after " << i;
    }
    EXPECT_TRUE(refused(bytes + "x"));
    EXPECT_TRUE(refused(""));
  }
}

// Forged files have a correct checksum, so they do not arise by chance. Loading
// one may fail or give a bandit, but must neither crash nor allocate without
// bound.
struct Kinds {
  std::string name;
  BanditOptions options;
  int chooses_every;  // of this many forged files that were loaded, one chooses

  friend std::ostream& operator<<(std::ostream& out, const Kinds& kinds) {
    return out << kinds.name;
  }
};

class ForgedFiles : public ::testing::TestWithParam<Kinds> {};

TEST_P(ForgedFiles, AreBorne) {
  const std::string whole = Bytes(MakeBandit(GetParam().options));
  const std::string bytes = whole.substr(0, whole.size() - 4);
  ASSERT_EQ(WithChecksum(bytes), whole);
  int refused = 0;
  int loaded = 0;
  for (std::size_t i = 8; i < bytes.size(); ++i) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string forged = bytes;
      forged[i] = static_cast<char>(value);
      try {
        Bandit bandit = Loaded(WithChecksum(forged));
        if (loaded++ % GetParam().chooses_every == 0) bandit.Choose();
      } catch (const Error&) {
        ++refused;  // Fine, too.
      }
    }
    if (i % 16 == 0) {
      EXPECT_THROW(Loaded(WithChecksum(bytes.substr(0, i))), Error);
    }
  }
  EXPECT_THROW(Loaded(WithChecksum(bytes + '\0')), Error);
  EXPECT_GT(refused, 100);
  EXPECT_GT(loaded, 100);
}

// Every policy with every search that serves it.
std::vector<Kinds> AllKinds() {
  std::vector<Kinds> all;
  PolicyKinds::ForEach([&](auto policy, const auto&) {
    SearchKinds::ForEach([&](auto search, const auto&) {
      if (!search.Refusal(policy.kObjective, 3).empty()) return;
      std::string name = fmt::format("{}_{}", policy.kName, search.kName);
      std::ranges::replace(name, '-', '_');
      all.push_back({name,
                     {.dim = 3,
                      .policy = policy.Samples().back().options,
                      .search = search.Samples().back().options,
                      .seed = 9},
                     // Trees are planned by the first choice, in 20 to 100 ms.
                     search.kName.starts_with("lsh") ? 100 : 1});
    });
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryPolicyAndSearch, ForgedFiles,
                         ::testing::ValuesIn(AllKinds()),
                         [](const auto& c) { return c.param.name; });

// The bytes of a bandit without arms that differ from those of another one:
// where the option lies by which the two differ.
std::vector<std::size_t> Differences(const BanditOptions& one,
                                     const BanditOptions& other) {
  const std::string a = Bytes(Bandit(one));
  const std::string b = Bytes(Bandit(other));
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 4 < a.size(); ++i) {
    if (a[i] != b[i]) places.push_back(i);
  }
  return places;
}

std::string Forged(const BanditOptions& options, std::size_t place,
                   char value) {
  const std::string whole = Bytes(Bandit(options));
  std::string bytes = whole.substr(0, whole.size() - 4);
  bytes[place] = value;
  return WithChecksum(bytes);
}

TEST(Saved, RefusesForgedChoices) {
  using Metric = HnswOptions::Metric;
  const std::vector<std::pair<SearchOptions, SearchOptions>> pairs = {
      {HnswOptions{.metric = Metric::kBoth},
       HnswOptions{.metric = Metric::kEuclidean}},
      {LshOptions{.reduction = Reduction::kPaper},
       LshOptions{.reduction = Reduction::kSymmetric}},
      {LshTheoryOptions{.reduction = Reduction::kPaper},
       LshTheoryOptions{.reduction = Reduction::kSymmetric}}};
  for (const auto& [one, other] : pairs) {
    const BanditOptions options{.dim = 3, .search = one};
    const std::vector<std::size_t> places =
        Differences(options, {.dim = 3, .search = other});
    ASSERT_EQ(places.size(), 1U) << SearchName(one);
    for (const char value : {'\x03', '\x4d', '\xff'}) {
      ExpectError(ErrorCode::kCorrupt, {"unknown kind"},
                  [&] { Loaded(Forged(options, places[0], value)); });
    }
    EXPECT_EQ(Loaded(Forged(options, places[0], 0)).dim(), 3U);
  }
}

TEST(Saved, RefusesForgedTruthValues) {
  const auto expect_refused = [](const BanditOptions& one,
                                 const BanditOptions& other) {
    const std::vector<std::size_t> places = Differences(one, other);
    ASSERT_EQ(places.size(), 1U);
    for (const char value : {'\x02', '\x4d', '\xff'}) {
      ExpectError(ErrorCode::kCorrupt, {"truth value"},
                  [&] { Loaded(Forged(one, places[0], value)); });
    }
  };
  const auto search = [](bool background) {
    return BanditOptions{.dim = 3,
                         .search = CertifiedOptions{.background = background}};
  };
  expect_refused(search(true), search(false));
}

// Numbers that a posterior cannot have would become scores that are none.
TEST(Saved, RefusesWhatCannotHaveBeenLearned) {
  const std::vector<float> features = {1, 2, -3};
  std::vector<PolicyOptions> policies = Policies();
  policies.emplace_back(GlocTsOptions{});
  policies.emplace_back(QglocOptions{});
  for (const PolicyOptions& policy : policies) {
    for (const SearchOptions& search : std::vector<SearchOptions>{
             ScanOptions{}, CertifiedOptions{}, LshOptions{.min_depth = 1}}) {
      const bool possible = !std::holds_alternative<UcbOptions>(policy) ||
                            !std::holds_alternative<LshOptions>(search);
      if (!possible) continue;
      Bandit bandit({.dim = 3, .policy = policy, .search = search});
      bandit.Add(testing::FirstIds(3), testing::GaussianRows(3, 3, 1));
      bandit.Learn(bandit.Choose(), 1.0);
      const std::string whole = Bytes(bandit);
      const std::string bytes = whole.substr(0, whole.size() - 4);
      for (std::size_t i = 8; i + 8 <= bytes.size(); ++i) {
        for (const double value :
             {1e-304, 1e304, 1e9, -1.0, std::nan(""), HUGE_VAL}) {
          std::string forged = bytes;
          std::memcpy(&forged[i], &value, sizeof(value));
          try {
            Bandit loaded = Loaded(WithChecksum(forged));
            if (loaded.dim() != 3 || loaded.size() == 0) continue;
            ASSERT_TRUE(std::isfinite(loaded.Predict(features))) << i;
            ASSERT_TRUE(std::isfinite(loaded.Choose().score)) << i;
            ASSERT_TRUE(std::isfinite(loaded.ChooseBest(1)[0].score)) << i;
          } catch (const Error&) {
            // As it should be.
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace manyarms
