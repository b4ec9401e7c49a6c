#ifndef MANYARMS_SEARCH_SEARCHER_H_
#define MANYARMS_SEARCH_SEARCHER_H_

#include <memory>
#include <optional>
#include <vector>

#include "search/search.h"

namespace manyarms {

/// An index over a set of its own, with its only finder: for tests and
/// measurements.
class Searcher {
 public:
  Searcher(const SearchOptions& options, const SearchTask& task,
           const ArmStore& store, std::uint64_t seed)
      : index_(MakeIndex(options, task, store, Scope::kOwnSet, seed)),
        finder_(index_->MakeFinder()) {}

  void Add(std::span<const Slot> slots) { index_->Add(slots); }
  void Remove(Slot slot) { index_->Remove(std::span(&slot, 1)); }
  void Clear() { index_->Clear(); }
  std::size_t size() const { return index_->members().size(); }
  std::optional<Hit> Best(const Query& query) { return finder_->Best(query); }
  std::vector<Hit> Top(const Query& query, const TopRequest& request) {
    return finder_->Top(query, request);
  }
  SearchStats stats() const { return finder_->stats(); }
  Index& index() { return *index_; }
  Finder& finder() { return *finder_; }

 private:
  std::unique_ptr<Index> index_;
  std::unique_ptr<Finder> finder_;
};

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_SEARCHER_H_
