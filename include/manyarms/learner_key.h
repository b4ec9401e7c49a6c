#ifndef MANYARMS_LEARNER_KEY_H_
#define MANYARMS_LEARNER_KEY_H_

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace manyarms {

/// An integer that is meant as a number, not as a truth value or a character.
template <class T>
concept KeyNumber =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
    !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
    !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// The caller's name for a learner: a 64-bit number or a string (UTF-8). The
/// number 7 and the string "7" are different keys.
class LearnerKey {
 public:
  // NOLINTBEGIN(google-explicit-constructor)

  /// Throws Error(kInvalidArgument) for a negative number.
  template <KeyNumber Number>
  LearnerKey(Number number)
      : value_(Checked(number < 0, static_cast<std::uint64_t>(number))) {}

  /// Throws Error(kInvalidArgument) for bytes that are not UTF-8, and for null.
  template <std::convertible_to<std::string_view> Text>
  LearnerKey(const Text& text) : value_(Checked(std::string_view(text))) {}
  LearnerKey(const char* text) : value_(CheckedPointer(text)) {}
  LearnerKey(std::nullptr_t) = delete;

  // NOLINTEND(google-explicit-constructor)

  bool is_number() const { return value_.index() == 0; }

  /// REQUIRES: is_number().
  std::uint64_t number() const { return *std::get_if<std::uint64_t>(&value_); }

  /// REQUIRES: not is_number().
  const std::string& text() const { return *std::get_if<std::string>(&value_); }

  /// Numbers come before strings.
  auto operator<=>(const LearnerKey&) const = default;

 private:
  static std::uint64_t Checked(bool negative, std::uint64_t number);
  static std::string Checked(std::string_view text);
  static std::string CheckedPointer(const char* text);

  std::variant<std::uint64_t, std::string> value_;
};

/// The key for messages: a number, or a string in quotation marks.
std::string ToString(const LearnerKey& key);

}  // namespace manyarms

#endif  // MANYARMS_LEARNER_KEY_H_
