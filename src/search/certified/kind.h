#ifndef MANYARMS_SEARCH_CERTIFIED_KIND_H_
#define MANYARMS_SEARCH_CERTIFIED_KIND_H_

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "base/field.h"
#include "manyarms/search/certified.h"
#include "search/kind.h"

namespace manyarms {

template <>
struct SearchKind<CertifiedOptions> {
  static constexpr std::string_view kName = "certified";
  static constexpr std::uint8_t kTag = 0;
  static constexpr std::string_view kPythonName = "Certified";
  static constexpr std::string_view kSummary =
      "Finds what a scan finds, to the last bit, at a small part of its cost; "
      "there is nothing to tune.";
  static constexpr bool kExact = true;

  static constexpr std::tuple kFields{
      Field{&CertifiedOptions::background,
            Switch{.flag_help = "Take surveys on the thread that chooses; "
                                "same decisions (elim does so anyway)"},
            {.name = "background",
             .help =
                 "Takes surveys on the threads that all bandits share, for ts "
                 "and ucb; the flag turns this off",
             .flag = "foreground"}},
      Field{&CertifiedOptions::check_every,
            Counts{0, std::numeric_limits<std::uint64_t>::max()},
            {.name = "check_every",
             .help = "Compares every n-th answer with a full scan's and stops "
                     "at a difference; 0: none"}},
      Field{&CertifiedOptions::max_bytes,
            Counts{0, std::numeric_limits<std::size_t>::max()},
            {.name = "max_bytes",
             .help = "The most memory for the arms kept in order, for ts and "
                     "ucb; 0: no limit, but at most half of the arms",
             .flag = "order-bytes",
             .row = "order_bytes",
             .since = 3}},
      Field{
          &CertifiedOptions::first_pass,
          Switch{.flag_help = "Keep no compact copy of the arms, which takes "
                              "d + 8 bytes an arm; same decisions, later"},
          {.name = "first_pass",
           .help = "Keeps a copy of the features with 8 bits each, for ts and "
                   "ucb, which answers where there is no order yet; the flag "
                   "turns this off",
           .flag = "no-first-pass",
           .since = 4}}};

  static std::string_view Refusal(Objective, std::size_t) { return ""; }

  // The order has copies of some of the arms.
  static double BytesPerArm(const CertifiedOptions& options,
                            Objective objective, double dim) {
    if (objective == Objective::kQuadraticForm) return 3;
    // The compact copy has room to grow.
    const double copy = options.first_pass ? 1.2 * dim + 10 : 0;
    return 3 + (4 * dim + 24) / 16 + copy;
  }

  static bool UsesCompactCopy(const CertifiedOptions& options,
                              Objective objective) {
    return options.first_pass && objective != Objective::kQuadraticForm;
  }

  static std::unique_ptr<Index> Make(const CertifiedOptions& options,
                                     const SearchTask& task,
                                     const ArmStore& store, Scope scope,
                                     std::uint64_t seed);

  static std::vector<Sample<CertifiedOptions>> Samples() {
    return {{.name = "Certified", .options = {.check_every = 1}, .exact = true},
            {.name = "CertifiedForeground",
             .options = {.background = false, .check_every = 1},
             .exact = true},
            {.name = "CertifiedWithoutFirstPass",
             .options = {.check_every = 1, .first_pass = false},
             .exact = true}};
  }
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_CERTIFIED_KIND_H_
