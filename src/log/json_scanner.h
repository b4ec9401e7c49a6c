#ifndef MANYARMS_LOG_JSON_SCANNER_H_
#define MANYARMS_LOG_JSON_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace manyarms {

/// Reads one JSON text value by value, without making a tree of it. It accepts
/// exactly what RFC 8259 does, nested at most 64 deep. All methods throw
/// Error(kCorrupt) for text that is not JSON or a value of another type.
///
/// REQUIRES: the text is UTF-8.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text)
      : begin_(text.data()), next_(text.data()), end_(next_ + text.size()) {}

  /// Calls field(key) for each field of an object. It must read the value. The
  /// key is valid until then.
  template <class Use>
  void Object(const Use& field) {
    Expect('{', "an object");
    if (Accept('}')) return;
    std::string key;
    do {
      Text(key);
      Expect(':', "a colon");
      field(std::string_view(key));
    } while (Accept(','));
    Expect('}', "a comma or }");
  }

  /// Calls element() for each element of an array. It must read it.
  template <class Use>
  void Array(const Use& element) {
    Expect('[', "an array");
    if (Accept(']')) return;
    do {
      element();
    } while (Accept(','));
    Expect(']', "a comma or ]");
  }

  /// The first character of what comes next, after spaces; 0 at the end.
  char Peek();
  bool AtText() { return Peek() == '"'; }
  bool AtNull() { return Peek() == 'n'; }

  void Text(std::string& text);
  bool Truth();
  double Number();
  float Float();
  /// A whole number from 0 on, without fraction or exponent.
  std::uint64_t Count();
  void Floats(std::vector<float>& values);

  /// Any value.
  void Skip() { Skip(0); }
  /// Any value, as it is written.
  std::string_view Raw();

  /// Nothing but spaces may follow.
  void End();

  /// Throws Error(kCorrupt) with the place, counted in bytes from 1.
  [[noreturn]] void Fail(const std::string& what) const;

 private:
  bool Accept(char c);
  void Expect(char c, const char* what);
  void Word(std::string_view word);
  std::string_view NumberText();
  template <class Real>
  Real ParseReal();
  void Escape(std::string& text);
  unsigned HexNumber();
  void Skip(int depth);

  const char* begin_;
  const char* next_;
  const char* end_;
};

}  // namespace manyarms

#endif  // MANYARMS_LOG_JSON_SCANNER_H_
