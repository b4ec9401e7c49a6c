#ifndef MANYARMS_SERVICE_API_JSON_INPUT_H_
#define MANYARMS_SERVICE_API_JSON_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/json_scanner.h"
#include "manyarms/error.h"
#include "service/engine/arm_info.h"

namespace manyarms::service {

/// Reads the JSON of a request, without making a tree of it. What is not JSON,
/// nests deeper than 16 or has a field twice is Error(kCorrupt); a value of
/// another type, an unknown field and a number that does not fit are
/// Error(kInvalidArgument) with the name of the field.
class JsonInput {
 public:
  static constexpr int kMostDepth = 16;

  /// The text must stay. `what` is its name in messages. Throws for text that
  /// is empty or not UTF-8.
  explicit JsonInput(std::string_view text, std::string_view what = "the body");

  /// Reads with read(). If it throws because a value is wrong, but the text is
  /// not even JSON further on, then it throws that.
  template <class Read>
  static void Strictly(std::string_view text, const Read& read) {
    try {
      read();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCorrupt) CheckIsJson(text);
      throw;
    }
  }

  /// Calls field(i) for each field that is there, where names[i] is its name.
  /// It must read the value. A null is as good as no field.
  template <class Use>
  void Object(std::span<const std::string_view> names, const Use& field) {
    Require(scanner_.Peek() == '{', "an object");
    std::uint64_t seen = 0;
    const std::string_view outside = name_;
    const std::optional<std::size_t> place = std::exchange(index_, {});
    scanner_.Object([&](std::string_view key) {
      const std::size_t i = Find(names, key);
      if ((seen >> i & 1U) != 0) FailTwice(names[i]);
      seen |= std::uint64_t{1} << i;
      name_ = names[i];
      if (scanner_.AtNull()) {
        scanner_.Skip();
      } else {
        field(i);
      }
    });
    name_ = outside;
    index_ = place;
  }

  /// Calls element() for each element. It must read it.
  template <class Use>
  void Array(const Use& element) {
    Require(scanner_.Peek() == '[', "an array");
    const std::optional<std::size_t> outside = index_;
    std::size_t i = 0;
    scanner_.Array([&] {
      index_ = i++;
      element();
    });
    index_ = outside;
  }

  void Text(std::string& text);
  /// A learner: a text, or a whole number in place of its digits.
  void TextOrNumber(std::string& text);
  bool Truth();
  double Number();
  std::uint64_t Count();
  void Floats(std::vector<float>& values);
  ArmName Arm();

  bool AtArray() { return scanner_.Peek() == '['; }
  bool AtText() { return scanner_.AtText(); }

  /// Nothing may follow.
  void End() { scanner_.End(); }

  /// Any value.
  void Skip() { RawWithin(); }

  /// Throws Error(kInvalidArgument): the field has this value.
  [[noreturn]] void Refuse(std::string_view value, const char* expected) const;

 private:
  static void CheckIsJson(std::string_view text);
  float Float();
  void Require(bool met, const char* expected) {
    if (!met) FailType(expected);
  }
  std::size_t Find(std::span<const std::string_view> names,
                   std::string_view key);
  /// The value that comes next is of another type, if it is JSON at all.
  [[noreturn]] void FailType(const char* expected);
  [[noreturn]] void FailTwice(std::string_view name) const;
  bool AtNumber();
  std::string_view RawWithin();

  JsonScanner scanner_;
  std::string_view name_;
  std::optional<std::size_t> index_;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_JSON_INPUT_H_
