#ifndef MANYARMS_SERVICE_API_TOKENS_H_
#define MANYARMS_SERVICE_API_TOKENS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace manyarms::service {

/// What a client may do; each role includes those before it.
enum class Role : std::uint8_t {
  kOpen,    ///< for routes: no token is needed
  kRead,    ///< look at everything
  kDecide,  ///< choose and reward
  kAdmin,   ///< change bandits and arms
};

std::string_view RoleName(Role role);
std::optional<Role> RoleNamed(std::string_view name);

/// Tokens and their roles. It keeps their SHA-256, not the tokens.
class Tokens {
 public:
  static constexpr std::size_t kMostBytes = 512;  ///< of a token
  static constexpr std::size_t kLeastBytes = 16;  ///< fewer could be guessed

  /// A line each: role, spaces, token. Empty lines and those that begin with #
  /// are left out. Throws Error(kInvalidArgument) with the number of the line,
  /// and never with a token.
  static Tokens FromLines(std::string_view text);
  /// role:token,role:token
  static Tokens FromList(std::string_view text);

  /// REQUIRES: the token is none of these.
  void Add(Role role, std::string_view token) {
    known_.push_back({DigestOf(token), role});
  }

  /// The role of whom the value of the header Authorization speaks of. It
  /// compares with every token, in a time that depends on nothing but their
  /// number.
  std::optional<Role> RoleOf(std::string_view authorization) const;

  bool empty() const { return known_.empty(); }
  std::size_t size() const { return known_.size(); }

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Known {
    Digest digest;
    Role role;
  };
  static Digest DigestOf(std::string_view token);
  void AddRead(std::string_view role, std::string_view token,
               const std::string& place);

  std::vector<Known> known_;
};

/// The tokens of a file; of MANYARMS_TOKENS if the path is empty. Throws Error,
/// also for a file without tokens.
Tokens ReadTokens(const std::string& path);

/// Whether others than the owner and the group may read it.
bool IsReadableByAll(const std::string& path);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_TOKENS_H_
