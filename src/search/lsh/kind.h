#ifndef MANYARMS_SEARCH_LSH_KIND_H_
#define MANYARMS_SEARCH_LSH_KIND_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/field.h"
#include "manyarms/search/lsh.h"
#include "search/kind.h"
#include "search/tree_fields.h"

namespace manyarms {

template <>
struct SearchKind<LshOptions> {
  static constexpr std::string_view kName = "lsh";
  static constexpr std::uint8_t kTag = 3;
  static constexpr std::string_view kPythonName = "Lsh";
  static constexpr std::string_view kSummary =
      "Asks filter trees for arms that may beat the best one known, and scans "
      "where that costs less; approximate.";
  static constexpr bool kExact = false;

  static constexpr std::tuple kFields{
      Field{&LshOptions::success,
            Reals{0.01, 0.9999},
            {.name = "success",
             .help = "The probability that a better arm is found",
             .decides = true}},
      ReductionField<LshOptions>(), MinDepthField<LshOptions>(),
      MaxBytesField<LshOptions>()};

  static std::string Refusal(Objective objective, std::size_t dim) {
    return RefusalOfProductIndex(kName, "filter trees answer", objective, dim);
  }

  static double BytesPerArm(const LshOptions&, Objective objective,
                            double dim) {
    return TreeRowBytes(NumbersPerArm(objective, dim));
  }

  static std::unique_ptr<Index> Make(const LshOptions& options,
                                     const SearchTask& task,
                                     const ArmStore& store, Scope scope,
                                     std::uint64_t seed);

  static std::vector<Sample<LshOptions>> Samples() {
    return {{.name = "Lsh", .options = {}},
            // Slow, because it plans trees again whenever they were dropped.
            {.name = "LshTrees", .options = {.min_depth = 1}, .slow = true}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LSH_KIND_H_
