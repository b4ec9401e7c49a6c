#ifndef MANYARMS_TESTS_SAVED_BYTES_H_
#define MANYARMS_TESTS_SAVED_BYTES_H_

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "manyarms/bandit.h"
#include "testing.h"

namespace manyarms::testing {

/// A bandit of dimension 3 that has lost an arm and has pending decisions.
inline Bandit MakeBandit(const BanditOptions& options) {
  Bandit bandit(options);
  bandit.Add(FirstIds(20), GaussianRows(20, 3, 1));
  bandit.Remove(7);
  for (int t = 0; t < 12; ++t) {
    const Decision decision = bandit.Choose();
    if (t % 4 != 1) bandit.Learn(decision, 0.1 * t);
  }
  return bandit;
}

inline Bandit MakeBandit(const PolicyOptions& policy,
                         const SearchOptions& search = ScanOptions{}) {
  return MakeBandit(
      BanditOptions{.dim = 3, .policy = policy, .search = search, .seed = 9});
}

inline std::string Bytes(const Bandit& bandit) {
  std::ostringstream out;
  bandit.Save(out);
  return out.str();
}

inline Bandit Loaded(const std::string& bytes) {
  std::istringstream in(bytes);
  return Bandit::Load(in);
}

/// CRC-32, bit by bit: the slow twin, and what puts a right checksum behind
/// wrong contents.
inline std::uint32_t Crc(const std::string& bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
    }
  }
  return ~crc;
}

inline std::string WithChecksum(std::string bytes) {
  const std::uint32_t crc = Crc(bytes);
  for (int i = 0; i < 4; ++i) {
    bytes.push_back(static_cast<char>(crc >> (8 * i) & 0xff));
  }
  return bytes;
}

inline std::vector<PolicyOptions> Policies() {
  return {ThompsonOptions{}, EliminationOptions{TheoryRadius{.horizon = 100}},
          UcbOptions{1.5}};
}

}  // namespace manyarms::testing

#endif  // MANYARMS_TESTS_SAVED_BYTES_H_
