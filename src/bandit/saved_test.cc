// What is saved is read back, and what is damaged is not.

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "in_a_folder.h"
#include "manyarms/bandit.h"
#include "paths.h"
#include "policy/kinds.h"
#include "search/kinds.h"
#include "testing.h"

namespace manyarms {
namespace {

using testing::ExpectError;

Bandit MakeBandit(const PolicyOptions& policy,
                  const SearchOptions& search = ScanOptions{}) {
  Bandit bandit({.dim = 3, .policy = policy, .search = search, .seed = 9});
  bandit.Add(testing::FirstIds(20), testing::GaussianRows(20, 3, 1));
  bandit.Remove(7);
  for (int t = 0; t < 12; ++t) {
    const Decision decision = bandit.Choose();
    if (t % 4 != 1) bandit.Learn(decision, 0.1 * t);
  }
  return bandit;
}

std::string Bytes(const Bandit& bandit) {
  std::ostringstream out;
  bandit.Save(out);
  return out.str();
}

Bandit Loaded(const std::string& bytes) {
  std::istringstream in(bytes);
  return Bandit::Load(in);
}

// CRC-32 bit by bit: the slow twin of Checksum, which also makes the checksums
// of forged files.
std::uint32_t Crc(const std::string& bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
    }
  }
  return ~crc;
}

std::string WithChecksum(std::string bytes) {
  const std::uint32_t crc = Crc(bytes);
  for (int i = 0; i < 4; ++i) {
    bytes.push_back(static_cast<char>(crc >> (8 * i) & 0xff));
  }
  return bytes;
}

std::vector<PolicyOptions> Policies() {
  return {ThompsonOptions{}, EliminationOptions{TheoryRadius{.horizon = 100}},
          UcbOptions{1.5}};
}

TEST(Saved, IsTheSameFileWhenLoadedAndSavedAgain) {
  for (const PolicyOptions& policy : Policies()) {
    const std::string bytes = Bytes(MakeBandit(policy));
    EXPECT_EQ(Bytes(Loaded(bytes)), bytes);
  }
}

TEST(Saved, KeepsTheOptionsOfEverySearch) {
  const std::vector<SearchOptions> searches = {
      CertifiedOptions{.background = false, .check_every = 3},
      HnswOptions{.shortlist = 7,
                  .metric = HnswOptions::Metric::kEuclidean,
                  .links = 5,
                  .build_effort = 11,
                  .effort = 13},
      LshOptions{.success = 0.8,
                 .reduction = Reduction::kPaper,
                 .min_depth = 1,
                 .max_bytes = 1e8},
      LshTheoryOptions{.accuracy = 0.5,
                       .delta = 0.01,
                       .copies = 2,
                       .min_depth = 0,
                       .threads = 2,
                       .max_bytes = 1e8}};
  for (const SearchOptions& search : searches) {
    const std::string bytes = Bytes(MakeBandit(ThompsonOptions{}, search));
    const Bandit loaded = Loaded(bytes);
    EXPECT_TRUE(loaded.options().search == search) << SearchName(search);
    EXPECT_EQ(Bytes(loaded), bytes);
  }
}

TEST(Saved, KeepsAllOtherOptions) {
  for (const PolicyOptions& policy : std::vector<PolicyOptions>{
           ThompsonOptions{TheoryRadius{.horizon = 7, .delta = 0.25}},
           EliminationOptions{.exploration = 0.5, .accuracy = 0.125},
           UcbOptions{3.0}}) {
    const BanditOptions options = {.dim = 5,
                                   .policy = policy,
                                   .search = ScanOptions{},
                                   .regularisation = 2.5,
                                   .negative_rewards = true,
                                   .seed = 12345,
                                   .max_pending = 77};
    EXPECT_TRUE(Loaded(Bytes(Bandit(options))).options() == options);
  }
}

TEST(Saved, KeepsNames) {
  Names names;
  Bandit bandit({.dim = 1});
  for (const char* name : {"news", "", "sport", "\xc3\xa9t\xc3\xa9"}) {
    bandit.Add(names.Add(name), std::vector<float>{1});
  }
  bandit.Remove(names.At("sport"));
  names.Remove(names.At("sport"));
  EXPECT_EQ(names.Add("news"), 0U);
  std::stringstream file;
  bandit.Save(file, &names);
  Names loaded;
  loaded.Add("what was here before");
  EXPECT_EQ(Bandit::Load(file, &loaded).size(), 3U);
  EXPECT_EQ(loaded.size(), 3U);
  EXPECT_EQ(loaded.Name(3), "\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(loaded.At(""), 1U);
  EXPECT_FALSE(loaded.Contains("sport"));
  EXPECT_EQ(loaded.Add("sport"), 4U);  // no number twice
  ExpectError(ErrorCode::kUnknownId, {"'weather'", "among 4"},
              [&] { loaded.At("weather"); });
}

TEST(Saved, HasNamesInUtf8) {
  Names names;
  for (const char* name : {"\xff", "caf\xe9", "\xed\xa0\x80"}) {
    ExpectError(ErrorCode::kInvalidArgument, {"not UTF-8", "counted from 0"},
                [&] { names.Add(name); });
  }
  EXPECT_EQ(names.size(), 0U);
  EXPECT_EQ(names.given(), 0U);

  Bandit bandit({.dim = 1});
  bandit.Add(names.Add("caf\xc3\xa9"), std::vector<float>{1});
  std::ostringstream out;
  bandit.Save(out, &names);
  std::string forged = out.str().substr(0, out.str().size() - 4);
  const std::size_t place = forged.find("caf\xc3\xa9");
  ASSERT_NE(place, std::string::npos);
  forged[place + 3] = '\xff';
  ExpectError(ErrorCode::kCorrupt, {"not UTF-8"},
              [&] { Loaded(WithChecksum(forged)); });
}

TEST(Saved, RefusesNamesThatAreNotThoseOfTheArms) {
  Names names;
  Bandit bandit({.dim = 1});
  bandit.Add(names.Add("here"), std::vector<float>{1});
  names.Add("elsewhere");
  std::ostringstream out;
  ExpectError(ErrorCode::kInvalidArgument, {"2 names", "1 arms"},
              [&] { bandit.Save(out, &names); });
  names.Remove(names.At("here"));
  ExpectError(ErrorCode::kInvalidArgument, {"1 names", "1 arms"},
              [&] { bandit.Save(out, &names); });
  EXPECT_EQ(out.str(), "");
}

// A byte is changed, the end is missing, or there is a byte too many.
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

// Forged files have a correct checksum. They may be refused or loaded, but must
// neither crash nor take memory without limit.
struct Kinds {
  std::string name;
  BanditOptions options;
  int chooses_every;  // the number of loaded files between two choices

  friend std::ostream& operator<<(std::ostream& out, const Kinds& kinds) {
    return out << kinds.name;
  }
};

class ForgedFiles : public ::testing::TestWithParam<Kinds> {};

TEST_P(ForgedFiles, AreBorne) {
  Bandit saved(GetParam().options);
  saved.Add(testing::FirstIds(20), testing::GaussianRows(20, 3, 1));
  saved.Remove(7);
  for (int t = 0; t < 12; ++t) {
    const Decision decision = saved.Choose();
    if (t % 4 != 1) saved.Learn(decision, 0.1 * t);
  }
  const std::string whole = Bytes(saved);
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
        ++refused;  // allowed, too
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
                     // The first choice plans trees, which takes 20 to 100 ms.
                     search.kName.starts_with("lsh") ? 100 : 1});
    });
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(EveryPolicyAndSearch, ForgedFiles,
                         ::testing::ValuesIn(AllKinds()),
                         [](const auto& c) { return c.param.name; });

// Where the files of two bandits without arms differ, which is the place of the
// option by which they differ.
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

// Numbers in files do not depend on the order of the variant's alternatives.
TEST(Saved, NamesKindsByNumbersThatStay) {
  const auto tag = [](auto kind, const auto&) { return int{kind.kTag}; };
  const auto search = [&](const SearchOptions& options) {
    return SearchKinds::Visit(options, tag);
  };
  EXPECT_EQ(search(CertifiedOptions{}), 0);
  EXPECT_EQ(search(ScanOptions{}), 1);
  EXPECT_EQ(search(HnswOptions{}), 2);
  EXPECT_EQ(search(LshOptions{}), 3);
  EXPECT_EQ(search(LshTheoryOptions{}), 4);
  const auto policy = [&](const PolicyOptions& options) {
    return PolicyKinds::Visit(options, tag);
  };
  EXPECT_EQ(policy(ThompsonOptions{}), 0);
  EXPECT_EQ(policy(EliminationOptions{}), 1);
  EXPECT_EQ(policy(UcbOptions{}), 2);
}

// Files that earlier versions wrote for the bandit that MakeBandit makes.
TEST(Saved, ReadsEarlierFormats) {
  const std::filesystem::path folder = testing::TestFolder() / "data" / "saved";
  const std::vector<std::string> names = {"ts", "elim", "ucb"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    Bandit loaded = Bandit::Load(folder / ("format-1-" + names[i]));
    Bandit expected = MakeBandit(Policies()[i]);
    EXPECT_EQ(loaded.Ids(), expected.Ids());
    EXPECT_EQ(loaded.pending(), expected.pending());
    for (int t = 0; t < 50; ++t) {
      const Decision decision = loaded.Choose();
      ASSERT_EQ(decision.arm, expected.Choose().arm);
      loaded.Learn(decision, 0.1 * t);
      expected.Learn(decision, 0.1 * t);
    }
  }
}

// Files of format 2 as version 0.5.0 wrote them, of every policy with every
// search, with options that are not the defaults.
TEST(Saved, ReadsFormatTwoWithAllOptions) {
  const std::filesystem::path folder = testing::TestFolder() / "data" / "saved";
  const std::vector<std::pair<std::string, PolicyOptions>> policies = {
      {"ts", ThompsonOptions{.exploration = 1.5}},
      {"elim", EliminationOptions{.exploration = TheoryRadius{.horizon = 500,
                                                              .delta = 0.1},
                                  .accuracy = 0.05}},
      {"ucb", UcbOptions{.exploration = 0.75}}};
  const std::vector<std::pair<std::string, SearchOptions>> searches = {
      {"certified", CertifiedOptions{.background = false, .check_every = 7}},
      {"scan", ScanOptions{}},
      {"hnsw", HnswOptions{.shortlist = 3,
                           .metric = HnswOptions::Metric::kEuclidean,
                           .links = 5,
                           .build_effort = 50,
                           .effort = 9}},
      {"lsh", LshOptions{.success = 0.8,
                         .reduction = Reduction::kPaper,
                         .min_depth = 1,
                         .max_bytes = 1e7}},
      {"lsh-theory", LshTheoryOptions{.accuracy = 0.5,
                                      .delta = 0.2,
                                      .reduction = Reduction::kPaper,
                                      .copies = 2,
                                      .min_depth = 0,
                                      .threads = 2,
                                      .max_bytes = 2e7}}};
  int files = 0;
  for (const auto& [policy_name, policy] : policies) {
    for (const auto& [search_name, search] : searches) {
      const std::filesystem::path path =
          folder / fmt::format("format-2-{}-{}", policy_name, search_name);
      if (!std::filesystem::exists(path)) continue;  // not all serve ucb
      ++files;
      const BanditOptions options{.dim = 3,
                                  .policy = policy,
                                  .search = search,
                                  .regularisation = 0.5,
                                  .negative_rewards = search_name == "scan",
                                  .seed = 9,
                                  .max_pending = 1000};
      Bandit expected(options);
      expected.Add(testing::FirstIds(20), testing::GaussianRows(20, 3, 1));
      for (int t = 0; t < 10; ++t) {
        const Decision decision = expected.Choose();
        if (t % 3 != 0) expected.Learn(decision, 0.1 * t);
      }
      Names names;
      Bandit loaded = Bandit::Load(path, &names);
      EXPECT_EQ(loaded.options(), options) << path;
      EXPECT_EQ(loaded.Ids(), expected.Ids());
      EXPECT_EQ(loaded.pending(), expected.pending());
      EXPECT_EQ(names.Name(7), "arm-7");
      for (int t = 0; t < 30; ++t) {
        const Decision decision = loaded.Choose();
        ASSERT_EQ(decision.arm, expected.Choose().arm) << path << ' ' << t;
        loaded.Learn(decision, 0.1 * t);
        expected.Learn(decision, 0.1 * t);
      }
    }
  }
  EXPECT_EQ(files, 12);
}

// Numbers that a posterior cannot have would lead to infinite scores or NaN.
TEST(Saved, RefusesWhatCannotHaveBeenLearned) {
  const std::vector<float> features = {1, 2, -3};
  for (const PolicyOptions& policy : Policies()) {
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
            // It may be refused.
          }
        }
      }
    }
  }
}

TEST(Saved, SaysSoWhenTheFormatIsOfALaterVersion) {
  const std::string whole = Bytes(MakeBandit(ThompsonOptions{}));
  std::string later = whole.substr(0, whole.size() - 4);
  later[8] = 77;
  ExpectError(ErrorCode::kUnsupported, {"format 77", "up to"},
              [&] { Loaded(WithChecksum(later)); });
}

class SavedFile : public testing::InAFolder {
 protected:
  std::size_t Files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
};

TEST_F(SavedFile, ReplacesWhatWasThereAndLeavesNothingElse) {
  const std::filesystem::path path = folder_ / "bandit";
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  std::ofstream(path) << "something else";
  bandit.Save(path);
  bandit.Save(path);
  EXPECT_EQ(Files(), 1U);
  EXPECT_EQ(Bytes(Bandit::Load(path)), Bytes(bandit));
}

TEST_F(SavedFile, IsReadByWhomeverTheOldOneWas) {
  namespace fs = std::filesystem;
  const fs::path path = folder_ / "bandit";
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  const mode_t before = umask(027);
  bandit.Save(path);
  EXPECT_EQ(umask(before), 027U);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  fs::permissions(path, fs::perms(0604));
  bandit.Save(path);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0604));
}

TEST_F(SavedFile, GoesWhereALinkLeads) {
  namespace fs = std::filesystem;
  const fs::path path = folder_ / "bandit";
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  std::ofstream(path) << "something else";
  fs::create_symlink("bandit", folder_ / "link");
  bandit.Save(folder_ / "link");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(Bytes(Bandit::Load(path)), Bytes(bandit));
}

TEST_F(SavedFile, IsARegularFile) {
  namespace fs = std::filesystem;
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", folder_ / "link");
  for (const fs::path& path : {pipe, folder_ / "link", fs::path("/dev/full")}) {
    ExpectError(ErrorCode::kIo,
                {"cannot write", path.string(), "is not a regular file"},
                [&] { bandit.Save(path); });
    ExpectError(ErrorCode::kIo,
                {"cannot read", path.string(), "is not a regular file"},
                [&] { Bandit::Load(path); });
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(Files(), 2U);
}

TEST_F(SavedFile, GoesWhereALinkLeadsThoughNothingIsThereYet) {
  namespace fs = std::filesystem;
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  fs::create_directory(folder_ / "releases");
  fs::create_directory_symlink("releases", folder_ / "current");
  // A chain: absolute, then relative to a folder that is itself a link, then up
  // from there.
  fs::create_symlink(folder_ / "current" / "second", folder_ / "first");
  fs::create_symlink("third", folder_ / "releases" / "second");
  fs::create_symlink("../bandit", folder_ / "releases" / "third");
  bandit.Save(folder_ / "first");
  EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "releases" / "second"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "releases" / "third"));
  ASSERT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "bandit")));
  EXPECT_EQ(Bytes(Bandit::Load(folder_ / "bandit")), Bytes(bandit));
  EXPECT_EQ(Files(), 4U);
}

TEST_F(SavedFile, IsAnErrorWhereLinksLeadNowhere) {
  namespace fs = std::filesystem;
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  fs::create_symlink("two", folder_ / "one");
  fs::create_symlink("one", folder_ / "two");
  fs::create_symlink("no/folder", folder_ / "lost");
  for (int i = 0; i < 41; ++i) {  // one more than the system follows
    fs::create_symlink(std::to_string(i + 1), folder_ / std::to_string(i));
  }
  const std::size_t before = Files();
  for (const auto& [name, reason] : std::vector<std::pair<std::string, int>>{
           {"one", ELOOP}, {"two", ELOOP}, {"lost", ENOENT}, {"0", ELOOP}}) {
    try {
      bandit.Save(folder_ / name);
      ADD_FAILURE() << name << " was saved";
    } catch (const FileError& error) {
      EXPECT_EQ(error.system_error(), reason) << name;
      EXPECT_EQ(error.path(), folder_ / name);
    }
  }
  EXPECT_EQ(Files(), before);
  bandit.Save(folder_ / "1");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "41")));
}

TEST_F(SavedFile, MayHaveALongName) {
  const std::filesystem::path path = folder_ / std::string(255, 'x');
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  bandit.Save(path);
  EXPECT_EQ(Bytes(Bandit::Load(path)), Bytes(bandit));
}

TEST_F(SavedFile, CarriesTheSystemsReason) {
  try {
    Bandit::Load(folder_ / "nothing");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(error.system_error(), ENOENT);
    EXPECT_EQ(error.path(), folder_ / "nothing");
  }
}

TEST_F(SavedFile, IsAnErrorWhereItCannotBe) {
  const Bandit bandit = MakeBandit(ThompsonOptions{});
  ExpectError(ErrorCode::kIo, {"nowhere", "No such file"},
              [&] { bandit.Save(folder_ / "nowhere" / "bandit"); });
  ExpectError(ErrorCode::kIo, {"cannot read", "nothing"},
              [&] { Bandit::Load(folder_ / "nothing"); });
  ExpectError(ErrorCode::kIo, {"cannot read"}, [&] { Bandit::Load(folder_); });
  std::filesystem::create_directory(folder_ / "folder");
  std::ofstream(folder_ / "folder" / "file") << "x";
  ExpectError(ErrorCode::kIo, {"cannot write"},
              [&] { bandit.Save(folder_ / "folder"); });
  EXPECT_EQ(Files(), 1U);
  std::ofstream(folder_ / "text") << "this is no bandit at all, just a text";
  ExpectError(ErrorCode::kCorrupt, {"text", "does not begin"},
              [&] { Bandit::Load(folder_ / "text"); });
}

}  // namespace
}  // namespace manyarms
