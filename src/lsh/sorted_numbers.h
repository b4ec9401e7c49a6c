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

/// A sorted set of numbers that lie together: in one piece while they are few,
/// as in most leaves of a tree, in pieces of bounded length when they are many,
/// so that a change never moves more than one piece.
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

  /// Calls visit(numbers) for one piece after the other until it returns false,
  /// and returns whether it never did.
  template <class Visit>
  bool VisitPieces(const Visit& visit) const {
    if (!many_) return visit(std::span<const PointNumber>(few_));
    for (const Piece& piece : *many_) {
      if (!visit(std::span<const PointNumber>(piece))) return false;
    }
    return true;
  }

  /// Where pieces begin does not matter.
  friend bool operator==(const SortedNumbers& one, const SortedNumbers& other) {
    return one.Numbers() == other.Numbers();
  }

 private:
  using Piece = std::vector<PointNumber>;
  using Pieces = std::vector<Piece>;

  Pieces::iterator PieceFor(PointNumber number);
  std::vector<PointNumber> Numbers() const;

  Piece few_;
  // In place of few_, and none of them empty. Behind a pointer, because most
  // sets have none.
  std::unique_ptr<Pieces> many_;
};

}  // namespace manyarms::lsh

#endif  // MANYARMS_LSH_SORTED_NUMBERS_H_
