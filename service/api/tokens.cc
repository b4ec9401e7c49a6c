#include "service/api/tokens.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "manyarms/error.h"

namespace manyarms::service {
namespace {

struct NamedRole {
  Role role;
  std::string_view name;
};
constexpr std::array kRoles{
    NamedRole{Role::kOpen, "open"}, NamedRole{Role::kRead, "read"},
    NamedRole{Role::kDecide, "decide"}, NamedRole{Role::kAdmin, "admin"}};

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Calls use(part) for each part of a text between separators.
template <class Use>
void ForEachPart(std::string_view text, char separator, const Use& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    use(Trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The token of "Bearer TOKEN", or nothing.
std::string_view TokenOf(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  const bool is_bearer =
      authorization.size() > kScheme.size() &&
      std::ranges::equal(authorization.substr(0, kScheme.size()), kScheme,
                         [](char given, char wanted) {
                           return given == wanted ||
                                  (given >= 'A' && given <= 'Z' &&
                                   given - 'A' + 'a' == wanted);
                         });
  return is_bearer ? Trimmed(authorization.substr(kScheme.size()))
                   : std::string_view();
}

}  // namespace

std::string_view RoleName(Role role) {
  return std::ranges::find(kRoles, role, &NamedRole::role)->name;
}

std::optional<Role> RoleNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kRoles, name, &NamedRole::name);
  if (found == kRoles.end() || found->role == Role::kOpen) return std::nullopt;
  return found->role;
}

Tokens::Digest Tokens::DigestOf(std::string_view token) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(),
         digest.data());
  return digest;
}

void Tokens::AddRead(std::string_view role, std::string_view token,
                     const std::string& place) {
  const std::optional<Role> known = RoleNamed(role);
  if (!known) {
    throw Error(ErrorCode::kInvalidArgument,
                place + ": the role must be read, decide or admin");
  }
  const bool printable =
      std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (token.size() < kLeastBytes || token.size() > kMostBytes || !printable) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{}: the token has {} bytes, must be {} to {} "
                            "printable characters of ASCII without spaces",
                            place, token.size(), kLeastBytes, kMostBytes));
  }
  const Digest digest = DigestOf(token);
  for (const Known& other : known_) {
    if (other.digest == digest) {
      throw Error(ErrorCode::kInvalidArgument,
                  place + ": the token is there twice");
    }
  }
  known_.push_back({digest, *known});
}

Tokens Tokens::FromLines(std::string_view text) {
  Tokens tokens;
  std::size_t line = 0;
  ForEachPart(text, '\n', [&](std::string_view part) {
    ++line;
    if (part.empty() || part.starts_with('#')) return;
    const std::size_t space = std::min(part.find_first_of(" \t"), part.size());
    tokens.AddRead(part.substr(0, space), Trimmed(part.substr(space)),
                   fmt::format("line {} of the tokens", line));
  });
  return tokens;
}

Tokens Tokens::FromList(std::string_view text) {
  Tokens tokens;
  std::size_t place = 0;
  ForEachPart(text, ',', [&](std::string_view part) {
    ++place;
    if (part.empty()) return;
    const std::size_t colon = std::min(part.find(':'), part.size());
    tokens.AddRead(part.substr(0, colon),
                   part.substr(std::min(colon + 1, part.size())),
                   fmt::format("part {} of MANYARMS_TOKENS", place));
  });
  return tokens;
}

std::optional<Role> Tokens::RoleOf(std::string_view authorization) const {
  const std::string_view token = TokenOf(authorization);
  if (token.empty() || token.size() > kMostBytes) return std::nullopt;
  const Digest digest = DigestOf(token);
  std::optional<Role> role;
  for (const Known& known : known_) {
    if (CRYPTO_memcmp(known.digest.data(), digest.data(), digest.size()) == 0) {
      role = known.role;
    }
  }
  return role;
}

Tokens ReadTokens(const std::string& path) {
  if (path.empty()) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment.
    const char* const list = std::getenv("MANYARMS_TOKENS");
    return list == nullptr ? Tokens() : Tokens::FromList(list);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError("cannot read", path, errno);
  const std::string text((std::istreambuf_iterator<char>(in)),
                         std::istreambuf_iterator<char>());
  if (in.bad()) throw FileError("cannot read", path, errno);
  Tokens tokens = Tokens::FromLines(text);
  if (tokens.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} has no tokens", path));
  }
  return tokens;
}

bool IsReadableByAll(const std::string& path) {
  std::error_code ignored;
  const auto permissions = std::filesystem::status(path, ignored).permissions();
  return !ignored && (permissions & std::filesystem::perms::others_read) !=
                         std::filesystem::perms::none;
}

}  // namespace manyarms::service
