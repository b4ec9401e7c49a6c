#include "search/certified/checked.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "manyarms/error.h"

namespace manyarms {

SearchStats CheckedFinder::stats() const {
  SearchStats stats = finder_->stats();
  stats.checks = checks_;
  return stats;
}

std::optional<Hit> CheckedFinder::Best(const Query& query) {
  const std::optional<Hit> answer = finder_->Best(query);
  if (answer && ++answers_ % every_ == 0) {
    ++checks_;
    Compare(*answer, *scan_.Best(query));
  }
  return answer;
}

std::vector<Hit> CheckedFinder::Top(const Query& query,
                                    const TopRequest& request) {
  std::vector<Hit> answer = finder_->Top(query, request);
  if (++answers_ % every_ == 0) {
    ++checks_;
    std::vector<Hit> scanned = scan_.Top(query, request);
    const std::size_t longer = std::max(answer.size(), scanned.size());
    std::vector<Hit> answered = answer;
    answered.resize(longer);  // kNoSlot where an arm is missing
    scanned.resize(longer);
    for (std::size_t i = 0; i < longer; ++i) Compare(answered[i], scanned[i]);
  }
  return answer;
}

void CheckedFinder::Compare(const Hit& answer, const Hit& scanned) const {
  if (answer.slot == scanned.slot && answer.score == scanned.score) return;
  const SearchStats stats = finder_->stats();
  const auto name = [this](const Hit& hit) {
    return hit.slot == kNoSlot ? std::string("(none)")
                               : std::to_string(index_.store().id(hit.slot));
  };
  throw Error(
      ErrorCode::kWrongAnswer,
      fmt::format("certified search chose arm {} (score {:.9g}), a scan of all "
                  "{} finds arm {} (score {:.9g}); at answer {}, after {} "
                  "snapshots and {} arms scored",
                  name(answer), answer.score, index_.members().size(),
                  name(scanned), scanned.score, answers_, stats.snapshots,
                  stats.arms_scored));
}

}  // namespace manyarms
