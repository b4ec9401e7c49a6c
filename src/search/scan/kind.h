#ifndef MANYARMS_SEARCH_SCAN_KIND_H_
#define MANYARMS_SEARCH_SCAN_KIND_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "manyarms/search/scan.h"
#include "search/kind.h"

namespace manyarms {

template <>
struct SearchKind<ScanOptions> {
  static constexpr std::string_view kName = "scan";
  static constexpr std::uint8_t kTag = 1;
  static constexpr std::string_view kPythonName = "Scan";
  static constexpr std::string_view kSummary = "Looks at every arm.";
  static constexpr bool kExact = true;

  static constexpr std::tuple<> kFields{};

  static std::string_view Refusal(Objective, std::size_t) { return ""; }

  static double BytesPerArm(const ScanOptions&, Objective, double) { return 1; }

  static std::unique_ptr<Index> Make(const ScanOptions& options,
                                     const SearchTask& task,
                                     const ArmStore& store, Scope scope,
                                     std::uint64_t seed);

  static std::vector<Sample<ScanOptions>> Samples() {
    return {{.name = "Scan", .options = {}, .exact = true}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SCAN_KIND_H_
