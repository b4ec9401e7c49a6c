#include "policy/redraws.h"

#include <optional>
#include <unordered_map>

#include "manyarms/error.h"
#include "manyarms/probability.h"

namespace manyarms {
namespace {

// Where the number of a draw ends and that of the decision begins.
constexpr int kDrawBits = 24;
static_assert(kMaxDraws == std::uint64_t{1} << kDrawBits);

std::optional<Hit> BestOf(Finder& finder, const Query& query,
                          const ArmSet* among) {
  if (among == nullptr) return finder.BestWithoutTrace(query);
  const std::vector<Hit> top = finder.Top(query, {.count = 1, .among = among});
  if (top.empty()) return std::nullopt;
  return top.front();
}

}  // namespace

Wins CountWins(const Drawer& drawer, const Redraws& redraws,
               std::span<const Slot> arms) {
  const bool is_random =
      drawer.questions.is_random() && drawer.questions.exploration() > 0;
  Wins wins{.of = std::vector<std::uint64_t>(arms.size()),
            .draws = is_random ? redraws.count : 1,
            .is_certain = !is_random};
  std::unordered_map<Slot, std::size_t> place_of;
  for (const Slot slot : arms) place_of.emplace(slot, place_of.size());
  for (std::uint64_t draw = 0; draw < wins.draws; ++draw) {
    const Query query =
        drawer.questions.Ask({.posterior = drawer.posterior,
                              .seed = drawer.seed,
                              .draw = redraws.decision << kDrawBits | draw,
                              .context = redraws.context,
                              .role = RandomStream::Role::kPropensity});
    const std::optional<Hit> best = BestOf(drawer.finder, query, redraws.among);
    if (!best || best->slot == kNoSlot) {  // from a forged file, for instance
      throw Error(ErrorCode::kCorrupt,
                  "no arm has a score that is a number: what was learned "
                  "cannot be");
    }
    const auto place = place_of.find(best->slot);
    if (place != place_of.end()) ++wins.of[place->second];
  }
  return wins;
}

}  // namespace manyarms
