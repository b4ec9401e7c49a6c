#include "manyarms/learner_key.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "manyarms/error.h"
#include "population/key_hash.h"

namespace manyarms {
namespace {

// The finalizer of SplitMix64.
std::uint64_t Scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t LearnerKey::Checked(bool negative, std::uint64_t number) {
  if (negative) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a learner's key is {}, must not be negative",
                            static_cast<std::int64_t>(number)));
  }
  return number;
}

std::string LearnerKey::CheckedPointer(const char* text) {
  if (text == nullptr) {
    throw Error(ErrorCode::kInvalidArgument, "a learner's key is null");
  }
  return Checked(std::string_view(text));
}

std::string LearnerKey::Checked(std::string_view text) {
  const std::size_t valid = Utf8PrefixLength(text);
  if (valid != text.size()) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("a learner's key is not UTF-8 after {} bytes", valid));
  }
  return std::string(text);
}

std::string ToString(const LearnerKey& key) {
  return key.is_number() ? fmt::format("{}", key.number())
                         : fmt::format("\"{}\"", key.text());
}

std::uint64_t Mix(std::uint64_t one, std::uint64_t other) {
  return Scramble(Scramble(one + 0x9e3779b97f4a7c15U) ^ other);
}

std::uint64_t StableHash(const LearnerKey& key) {
  if (key.is_number()) return Mix(1, key.number());
  std::uint64_t hash = Mix(2, key.text().size());
  for (const char c : key.text()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;  // FNV-1a
  }
  return Scramble(hash);
}

}  // namespace manyarms
