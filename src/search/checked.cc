#include "search/checked.h"

#include <fmt/format.h>

#include "manyarms/error.h"

namespace manyarms {

void CheckedSearch::Add(std::span<const Slot> slots) {
  search_->Add(slots);
  scan_.Add(slots);
}

void CheckedSearch::Remove(Slot slot) {
  search_->Remove(slot);
  scan_.Remove(slot);
}

void CheckedSearch::Clear() {
  search_->Clear();
  scan_.Clear();
}

SearchStats CheckedSearch::stats() const {
  SearchStats stats = search_->stats();
  stats.checks = checks_;
  return stats;
}

std::optional<Hit> CheckedSearch::Best(const Query& query) {
  const std::optional<Hit> answer = search_->Best(query);
  if (answer && ++answers_ % every_ == 0) {
    ++checks_;
    Compare(*answer, *scan_.Best(query));
  }
  return answer;
}

std::vector<Hit> CheckedSearch::Top(const Query& query,
                                    const TopRequest& request) {
  std::vector<Hit> answer = search_->Top(query, request);
  if (!answer.empty() && ++answers_ % every_ == 0) {
    ++checks_;
    const std::vector<Hit> scanned = scan_.Top(query, request);
    // As many in any case: all that may be asked for, or the count.
    for (std::size_t i = 0; i < answer.size(); ++i) {
      Compare(answer[i], scanned[i]);
    }
  }
  return answer;
}

void CheckedSearch::Compare(const Hit& answer, const Hit& scanned) const {
  if (answer.slot == scanned.slot && answer.score == scanned.score) return;
  const SearchStats stats = search_->stats();
  throw Error(
      ErrorCode::kWrongAnswer,
      fmt::format("certified search chose arm {} (score {:.9g}), a scan of all "
                  "{} finds arm {} (score {:.9g}); at answer {}, after {} "
                  "snapshots and {} arms scored",
                  catalogue_.id(answer.slot), answer.score, size(),
                  catalogue_.id(scanned.slot), scanned.score, answers_,
                  stats.snapshots, stats.arms_scored));
}

}  // namespace manyarms
