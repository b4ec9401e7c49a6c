#ifndef MANYARMS_TESTS_SERVICE_HOSTILE_CHANCE_H_
#define MANYARMS_TESTS_SERVICE_HOSTILE_CHANCE_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace manyarms::hostile {

/// Random choices of a seed.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  /// Below the bound, which is at least 1.
  std::size_t Below(std::size_t bound) {
    return static_cast<std::size_t>(engine_() % bound);
  }
  bool OneIn(std::size_t count) { return Below(count) == 0; }
  char Byte() { return static_cast<char>(engine_() & 0xff); }

  template <class Value, std::size_t kCount>
  const Value& Of(const Value (&values)[kCount]) {
    return values[Below(kCount)];
  }

  std::string Number(std::size_t bound) { return std::to_string(Below(bound)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace manyarms::hostile

#endif  // MANYARMS_TESTS_SERVICE_HOSTILE_CHANCE_H_
