#include "reproduction/movielens/ratings.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "in_a_folder.h"
#include "testing.h"

namespace manyarms::reproduction {
namespace {

namespace fs = std::filesystem;
using manyarms::testing::ExpectError;

class RatingsFile : public manyarms::testing::InAFolder {
 protected:
  fs::path Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  fs::path WriteGzip(const std::string& name, const std::string& text) const {
    fs::path path = folder_ / name;
    gzFile file = gzopen(path.c_str(), "wb");
    EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path;
  }

  Ratings Read(const std::string& text) const {
    return ReadRatings(Write("ratings.dat", text));
  }
};

// One line for each rating: "3 8 9/2" for user 3, movie 8 and 4.5 stars.
std::string Text(const Ratings& ratings) {
  std::string text;
  for (const Rating& rating : ratings.list) {
    text += std::to_string(rating.user) + ' ' + std::to_string(rating.movie) +
            ' ' + std::to_string(static_cast<int>(2 * rating.stars)) + "/2\n";
  }
  return text;
}

TEST_F(RatingsFile, IsReadWithAndWithoutTimeStamps) {
  const Ratings with = Read("3::8::4.5::978300760\n1::20::2::978302109\n");
  EXPECT_EQ(Text(with), "3 8 9/2\n1 20 4/2\n");
  EXPECT_EQ(with.users, 3U);
  EXPECT_EQ(with.movies, 20U);
  const Ratings without = Read("3::8::4.5\n1::20::2\n");
  EXPECT_EQ(Text(without), Text(with));
  EXPECT_EQ(without.digest, with.digest);
}

TEST_F(RatingsFile, MayBeSeparatedByTabs) {
  const Ratings ratings =
      ReadRatings(Write("u.data", "196\t242\t3\t881250949\n186\t302\t3\t-1\n"));
  EXPECT_EQ(Text(ratings), "196 242 6/2\n186 302 6/2\n");
}

TEST_F(RatingsFile, MayHaveDosLineEndsEmptyLinesAndNoLastLineEnd) {
  const Ratings ratings = Read("1::2::3::4\r\n\r\n2::1::5\r\n3::3::0");
  EXPECT_EQ(Text(ratings), "1 2 6/2\n2 1 10/2\n3 3 0/2\n");
}

TEST_F(RatingsFile, MayBeGzip) {
  const Ratings ratings =
      ReadRatings(WriteGzip("anything.gz", "1::2::3::4\n2::1::5::6\n"));
  EXPECT_EQ(Text(ratings), "1 2 6/2\n2 1 10/2\n");
}

TEST_F(RatingsFile, IsFoundInItsFolder) {
  WriteGzip("u.data.gz", "4\t4\t4\t4\n");
  EXPECT_EQ(Text(ReadRatings(folder_)), "4 4 8/2\n");
  Write("u.data", "3\t3\t3\t3\n");
  EXPECT_EQ(Text(ReadRatings(folder_)), "3 3 6/2\n");
  WriteGzip("ratings.dat.gz", "2::2::2::2\n");
  EXPECT_EQ(Text(ReadRatings(folder_)), "2 2 4/2\n");
  Write("ratings.dat", "1::1::1::1\n");
  EXPECT_EQ(Text(ReadRatings(folder_)), "1 1 2/2\n");
}

TEST_F(RatingsFile, HasADigestThatDependsOnEveryRating) {
  const std::uint64_t digest = Read("1::2::3\n2::1::4\n").digest;
  EXPECT_EQ(Read("1::2::3\n2::1::4\n").digest, digest);
  EXPECT_NE(Read("1::2::3\n").digest, digest);
  EXPECT_NE(Read("1::2::3\n2::1::5\n").digest, digest);
  EXPECT_NE(Read("1::2::3\n2::1::4.5\n").digest, digest);
  EXPECT_NE(Read("1::2::3\n2::3::4\n").digest, digest);
  EXPECT_NE(Read("1::2::3\n3::1::4\n").digest, digest);
}

TEST_F(RatingsFile, MustExist) {
  ExpectError(ErrorCode::kIo, {"no file or folder", "/missing"},
              [&] { ReadRatings(folder_ / "missing"); });
  ExpectError(ErrorCode::kIo,
              {folder_.string(), "neither ratings.dat nor u.data"},
              [&] { ReadRatings(folder_); });
}

TEST_F(RatingsFile, MustHaveRatings) {
  ExpectError(ErrorCode::kIo, {"ratings.dat has no ratings"},
              [&] { Read(""); });
  ExpectError(ErrorCode::kIo, {"ratings.dat has no ratings"},
              [&] { Read("\n\r\n"); });
}

TEST_F(RatingsFile, MustHaveNoLinesButRatings) {
  for (const std::string& bad : std::vector<std::string>{
           "one::2::3", "1::2", "1::2::", "1,2,3", "1::2::3::4::5",
           "1::2::3::noon", "1::2::3 ", " 1::2::3", "1::-2::3", "1::2.5::3",
           "1\t2::3", std::string(1000, 'x')}) {
    ExpectError(ErrorCode::kInvalidArgument,
                {"ratings.dat, line 3 ", bad.substr(0, 40)},
                [&] { Read("1::1::3\n1::9::3\n" + bad + "\n1::3::3\n"); });
  }
}

// After a crash, a file system may leave zeros where data were never written.
TEST_F(RatingsFile, MustHaveNoZeroBytes) {
  const auto expect_refusal = [this](const std::string& bad) {
    ExpectError(ErrorCode::kInvalidArgument, {"ratings.dat, line 2 "},
                [&] { Read("1::1::3\n" + bad); });
  };
  expect_refusal(std::string("1::2::3\0junk", 12));
  expect_refusal(std::string(300, '\0'));
}

TEST_F(RatingsFile, MustHaveIdsAndStarsWithinBounds) {
  for (const char* bad : {"0::1::3", "1::0::3", "10000001::1::3",
                          "1::10000001::3", "99999999999::1::3", "1::1::5.5",
                          "1::1::-1", "1::1::nan", "1::1::inf"}) {
    ExpectError(ErrorCode::kInvalidArgument, {"ratings.dat, line 1 ", bad},
                [&] { Read(bad); });
  }
  EXPECT_EQ(Text(Read("10000000::10000000::5\n1::1::0\n")),
            "10000000 10000000 10/2\n1 1 0/2\n");
}

TEST_F(RatingsFile, MustHaveNoMovieTwiceForAUser) {
  ExpectError(ErrorCode::kInvalidArgument,
              {"ratings.dat", "user 7 has rated movie 9 twice"},
              [&] { Read("7::9::1\n9::7::1\n7::8::2\n7::9::1\n"); });
}

// Wherever the file is cut, even within a number, the reader must say that it
// is damaged: not that a line is wrong, and not that all is well.
TEST_F(RatingsFile, IsDamagedIfGzipIsCutOff) {
  std::string text;
  for (int user = 1; user <= 40; ++user) {
    for (int movie = 1; movie <= 10; ++movie) {
      text += std::to_string(user) + "::" + std::to_string(movie) +
              "::" + std::to_string((user * movie) % 6) + "::97830" +
              std::to_string(user * 7919 % 1000) + "\n";
    }
  }
  const fs::path path = WriteGzip("ratings.dat.gz", text);
  const std::uintmax_t size = fs::file_size(path);
  ASSERT_EQ(ReadRatings(path).list.size(), 400U);
  for (std::uintmax_t cut = size - 1; cut > 20; cut -= 13) {
    fs::resize_file(path, cut);
    SCOPED_TRACE(::testing::Message() << "cut to " << cut << " of " << size);
    ExpectError(ErrorCode::kIo, {"ratings.dat.gz is damaged after line"},
                [&] { ReadRatings(path); });
  }
}

TEST_F(RatingsFile, IsDamagedIfGzipHasAWrongChecksum) {
  std::string text;
  for (int user = 1; user <= 400; ++user) {
    text += std::to_string(user) + "::1::3\n";
  }
  const fs::path path = WriteGzip("ratings.dat.gz", text);
  // The last eight bytes are the checksum and the length.
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-8, std::ios::end);
  file << "????";
  file.close();
  ExpectError(ErrorCode::kIo, {"ratings.dat.gz is damaged"},
              [&] { ReadRatings(path); });
}

}  // namespace
}  // namespace manyarms::reproduction
