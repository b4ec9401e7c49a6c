// What is saved is read back, and what is damaged is not.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "in_a_folder.h"
#include "manyarms/bandit.h"
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
    EXPECT_EQ(SearchName(loaded.options().search), SearchName(search));
    EXPECT_EQ(Bytes(loaded), bytes);
  }
}

TEST(Saved, KeepsNames) {
  Names names;
  for (const char* name : {"news", "", "sport", "\xc3\xa9t\xc3\xa9"}) {
    names.Add(name);
  }
  names.Remove(names.At("sport"));
  EXPECT_EQ(names.Add("news"), 0U);
  std::stringstream file;
  MakeBandit(ThompsonOptions{}).Save(file, &names);
  Names loaded;
  loaded.Add("what was here before");
  Bandit::Load(file, &loaded);
  EXPECT_EQ(loaded.size(), 3U);
  EXPECT_EQ(loaded.Name(3), "\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(loaded.At(""), 1U);
  EXPECT_FALSE(loaded.Contains("sport"));
  EXPECT_EQ(loaded.Add("sport"), 4U);  // no number twice
  ExpectError(ErrorCode::kUnknownId, {"'weather'", "among 4"},
              [&] { loaded.At("weather"); });
}

// A byte is wrong in any of all ways, or missing, or too many.
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

// CRC-32, bit by bit: the slow twin, and what puts a right checksum behind
// wrong contents.
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

// Nobody can stumble into these; somebody could make them. They may be refused
// or turn out to be a bandit, but neither crash nor take memory without end.
TEST(Saved, BearsForgedFiles) {
  for (const PolicyOptions& policy : Policies()) {
    const std::string whole = Bytes(MakeBandit(policy));
    const std::string bytes = whole.substr(0, whole.size() - 4);
    ASSERT_EQ(WithChecksum(bytes), whole);
    for (std::size_t i = 8; i < bytes.size(); ++i) {
      for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
        std::string forged = bytes;
        forged[i] = static_cast<char>(value);
        try {
          Bandit bandit = Loaded(WithChecksum(forged));
          bandit.Choose();
        } catch (const Error&) {
          // Fine, too.
        }
      }
      if (i % 16 == 0) {
        EXPECT_THROW(Loaded(WithChecksum(bytes.substr(0, i))), Error);
      }
    }
    EXPECT_THROW(Loaded(WithChecksum(bytes + '\0')), Error);
  }
}

// Files that earlier versions have left, of the bandit that MakeBandit makes.
TEST(Saved, ReadsEarlierFormats) {
  const std::filesystem::path folder =
      std::filesystem::path(MANYARMS_TEST_FOLDER) / "data" / "saved";
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

// Numbers that a posterior cannot have would become scores that are none.
TEST(Saved, RefusesWhatCannotHaveBeenLearned) {
  Bandit bandit({.dim = 2, .search = ScanOptions{}});
  bandit.Add(1, std::vector<float>{0, 0});
  const std::string whole = Bytes(bandit);
  const std::string bytes = whole.substr(0, whole.size() - 4);
  int refused = 0;
  for (std::size_t i = 8; i + 8 <= bytes.size(); ++i) {
    for (const double value : {1e-304, 1e304, -1.0, std::nan("")}) {
      std::string forged = bytes;
      std::memcpy(&forged[i], &value, sizeof(value));
      try {
        Bandit loaded = Loaded(WithChecksum(forged));
        loaded.ChooseBest(1);
        loaded.Learn(loaded.Choose(), 1.0);
        Bytes(loaded);
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
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
