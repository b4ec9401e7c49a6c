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
      "# who reads\nread abc-0123456789ab\n\n"
      "  decide\t d-e_f=0123456789a=  \r\nadmin xyz-0123456789ab");
  EXPECT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens.RoleOf("Bearer abc-0123456789ab"), Role::kRead);
  EXPECT_EQ(tokens.RoleOf("bearer d-e_f=0123456789a="), Role::kDecide);
  EXPECT_EQ(tokens.RoleOf("BEARER  xyz-0123456789ab "), Role::kAdmin);
  const std::string longest(1'000'000, 'a');
  for (const std::string& other :
       {std::string(), std::string("Bearer"), std::string("Bearer "),
        std::string("Bearer abc-0123456789a"),
        std::string("Bearer abc-0123456789abc"),
        std::string("Bearer ABC-0123456789AB"),
        std::string("Basic abc-0123456789ab"), std::string("abc-0123456789ab"),
        std::string("Bearer abc-0123456789ab xyz"), "Bearer " + longest}) {
    EXPECT_EQ(tokens.RoleOf(other), std::nullopt) << other.substr(0, 50);
  }
}

TEST(Tokens, RefuseLinesThatCannotBeAndDoNotSayTheToken) {
  for (const std::string& lines :
       {std::string("admin"), std::string("owner secret-0123456789"),
        std::string("open secret-0123456789"),
        std::string("read secret-01234 56789"), std::string("secret"),
        std::string("read secret-01234567"),  // 15 bytes
        "read secret" + std::string(512, 'x'),
        std::string("read secret-0123456789\nadmin secret-0123456789"),
        std::string("read sécret-0123456789")}) {
    const Failure failure = FailureIn([&] { Tokens::FromLines(lines); });
    EXPECT_EQ(failure.status, 422U) << lines;
    EXPECT_EQ(failure.message.find("secret"), std::string::npos)
        << failure.message;
    EXPECT_NE(failure.message.find("line "), std::string::npos);
  }
}

TEST(Tokens, ComeFromAListToo) {
  const Tokens tokens =
      Tokens::FromList("read:a:b-0123456789abc, admin:c-0123456789abcd,");
  EXPECT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens.RoleOf("Bearer a:b-0123456789abc"), Role::kRead);
  EXPECT_EQ(tokens.RoleOf("Bearer c-0123456789abcd"), Role::kAdmin);
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
  const std::string path =
      Write("read a-0123456789abcd\nadmin b-0123456789abcd\n");
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
