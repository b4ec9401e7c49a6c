#ifndef MANYARMS_LSH_SORTED_NUMBERS_H_
#define MANYARMS_LSH_SORTED_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace manyarms::lsh {

/// The caller's number for a point.
using PointNumber = std::uint32_t;

/// A sorted set of numbers. A small set, as in most leaves of a tree, is one
/// array; a large one consists of pieces of bounded length, so that a change
/// moves the elements of at most one piece.
class SortedNumbers {
 public:
  static constexpr std::size_t kMostInPiece = 512;

  /// REQUIRES: the number is not in the set.
  void Insert(PointNumber number);
  /// REQUIRES: the number is in the set.
  void Erase(PointNumber number);

  bool empty() const { return few_.empty() && !many_; }
  std::size_t size() const;
  std::size_t bytes() const;

  /// Calls visit(numbers) for each piece in order until it returns false.
  /// Returns false if it did, and true otherwise.
  template <class Visit>
  bool VisitPieces(const Visit& visit) const {
    if (!many_) return visit(std::span<const PointNumber>(few_));
    for (const Piece& piece : *many_) {
      if (!visit(std::span<const PointNumber>(piece))) return false;
    }
    return true;
  }

  /// Compares the numbers, however they are split into pieces.
  friend bool operator==(const SortedNumbers& one, const SortedNumbers& other) {
    return one.Numbers() == other.Numbers();
  }

 private:
  using Piece = std::vector<PointNumber>;
  using Pieces = std::vector<Piece>;

  Pieces::iterator PieceFor(PointNumber number);
  std::vector<PointNumber> Numbers() const;

  Piece few_;
  // If not null, holds the numbers instead of few_, in nonempty pieces. A
  // pointer, because most sets do not need it.
  std::unique_ptr<Pieces> many_;
};

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_SORTED_NUMBERS_H_
