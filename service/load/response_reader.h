#ifndef MANYARMS_SERVICE_LOAD_RESPONSE_READER_H_
#define MANYARMS_SERVICE_LOAD_RESPONSE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace manyarms::load {

/// Reads answers of HTTP/1.1, one at a time. Its memory is used again for the
/// next one.
class ResponseReader {
 public:
  static constexpr std::size_t kMostHead = std::size_t{64} << 10;
  static constexpr std::size_t kMostBody = std::size_t{256} << 20;

  /// Begins the next answer.
  void Reset();

  /// Takes bytes as they come; returns whether the answer is complete. Throws
  /// Error(kCorrupt) for what is not HTTP/1.1 or is longer than it may be.
  bool Take(std::string_view bytes);

  /// Whether any byte of the answer has come.
  bool begun() const { return !bytes_.empty(); }

  // REQUIRES for the others: the answer is complete.
  unsigned status() const { return status_; }
  std::string_view body() const;
  bool keeps_alive() const { return keeps_alive_; }

 private:
  bool ReadHead();
  void ReadField(std::string_view name, std::string_view value);
  bool ReadChunks();

  std::string bytes_;   // head and body as they came
  std::string chunks_;  // the body, if it came in chunks
  std::size_t searched_ = 0;
  std::size_t body_ = 0;  // where it begins, or the next chunk; 0: not known
  std::size_t length_ = 0;
  unsigned status_ = 0;
  bool chunked_ = false;
  bool keeps_alive_ = true;
};

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_RESPONSE_READER_H_
