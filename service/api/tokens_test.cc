#include "service/api/tokens.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "in_a_folder.h"
#include "service/api/thrown.h"

namespace manyarms::service {
namespace {

using testing::InAFolder;

TEST(Tokens, HaveRoles) {
  const Tokens tokens = Tokens::FromLines(
      "# who reads\nread abc\n\n  decide\t d-e_f=  \r\nadmin xyz");
  EXPECT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens.RoleOf("Bearer abc"), Role::kRead);
  EXPECT_EQ(tokens.RoleOf("bearer d-e_f="), Role::kDecide);
  EXPECT_EQ(tokens.RoleOf("BEARER  xyz "), Role::kAdmin);
  const std::string longest(1'000'000, 'a');
  for (const std::string& other :
       {std::string(), std::string("Bearer"), std::string("Bearer "),
        std::string("Bearer ab"), std::string("Bearer abcd"),
        std::string("Bearer ABC"), std::string("Basic abc"), std::string("abc"),
        std::string("Bearer abc xyz"), "Bearer " + longest}) {
    EXPECT_EQ(tokens.RoleOf(other), std::nullopt) << other.substr(0, 50);
  }
}

TEST(Tokens, RefuseLinesThatCannotBeAndDoNotSayTheToken) {
  for (const std::string& lines :
       {std::string("admin"), std::string("owner secret"),
        std::string("open secret"), std::string("read sec ret"),
        std::string("secret"), "read secret" + std::string(512, 'x'),
        std::string("read secret\nadmin secret"), std::string("read sécret")}) {
    const Failure failure = FailureIn([&] { Tokens::FromLines(lines); });
    EXPECT_EQ(failure.status, 422U) << lines;
    EXPECT_EQ(failure.message.find("secret"), std::string::npos)
        << failure.message;
    EXPECT_NE(failure.message.find("line "), std::string::npos);
  }
}

TEST(Tokens, ComeFromAListToo) {
  const Tokens tokens = Tokens::FromList("read:a:b, admin:c,");
  EXPECT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens.RoleOf("Bearer a:b"), Role::kRead);
  EXPECT_EQ(tokens.RoleOf("Bearer c"), Role::kAdmin);
  EXPECT_EQ(StatusIn([] { Tokens::FromList("read"); }), 422U);
  EXPECT_TRUE(Tokens::FromList("").empty());
}

class TokensFile : public InAFolder {
 protected:
  std::string Write(const std::string& text) const {
    const std::filesystem::path path = folder_ / "tokens";
    std::ofstream(path) << text;
    return path.string();
  }
};

TEST_F(TokensFile, IsReadWhole) {
  const std::string path = Write("read a\nadmin b\n");
  EXPECT_EQ(ReadTokens(path).size(), 2U);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_FALSE(IsReadableByAll(path));
  std::filesystem::permissions(path, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  EXPECT_TRUE(IsReadableByAll(path));
}

TEST_F(TokensFile, MustBeThereAndHaveTokens) {
  EXPECT_NE(StatusIn([&] { ReadTokens((folder_ / "none").string()); }), 0U);
  EXPECT_NE(StatusIn([&] { ReadTokens(folder_.string()); }), 0U);
  const std::string path = Write("# nothing\n");
  EXPECT_EQ(StatusIn([&] { ReadTokens(path); }), 422U);
}

}  // namespace
}  // namespace manyarms::service
