#ifndef MANYARMS_SERVICE_ENGINE_DIGEST_H_
#define MANYARMS_SERVICE_ENGINE_DIGEST_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace manyarms::service {

/// A number that depends on every bit of what was put into it, and on the
/// order. It is no defence against forgery.
class Digest {
 public:
  void Add(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9e3779b97f4a7c15U;
    value_ ^= value_ >> 32;
    value_ = value_ * 0xd6e8feb86659fd93U + 1;
  }
  void Add(double value) { Add(std::bit_cast<std::uint64_t>(value)); }
  void Add(std::string_view text) { Add(std::as_bytes(std::span(text))); }
  void Add(std::span<const float> values) { Add(std::as_bytes(values)); }
  void Add(std::span<const std::byte> bytes) {
    Add(std::uint64_t{bytes.size()});
    while (!bytes.empty()) {
      const std::size_t count = bytes.size() < 8 ? bytes.size() : 8;
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), count);
      Add(word);
      bytes = bytes.subspan(count);
    }
  }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x6a09e667f3bcc908U;
};

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_ENGINE_DIGEST_H_
