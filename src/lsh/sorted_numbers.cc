#include "lsh/sorted_numbers.h"

#include <algorithm>

namespace manyarms::lsh {
namespace {

void InsertInto(std::vector<PointNumber>& piece, PointNumber number) {
  piece.insert(std::ranges::lower_bound(piece, number), number);
}

void EraseFrom(std::vector<PointNumber>& piece, PointNumber number) {
  piece.erase(std::ranges::lower_bound(piece, number));
}

// Removes the upper half of a piece and returns it.
std::vector<PointNumber> SplitUpperHalf(std::vector<PointNumber>& piece) {
  const auto middle =
      piece.begin() + static_cast<std::ptrdiff_t>(piece.size() / 2);
  std::vector<PointNumber> upper(middle, piece.end());
  piece.erase(middle, piece.end());
  return upper;
}

}  // namespace

// The first piece whose last number is not below this one, or the last piece.
SortedNumbers::Pieces::iterator SortedNumbers::PieceFor(PointNumber number) {
  const auto found = std::ranges::lower_bound(
      *many_, number, {}, [](const Piece& piece) { return piece.back(); });
  return found == many_->end() ? std::prev(found) : found;
}

void SortedNumbers::Insert(PointNumber number) {
  if (!many_) {
    InsertInto(few_, number);
    if (few_.size() <= kMostInPiece) return;
    many_ = std::make_unique<Pieces>();
    many_->push_back(std::move(few_));
    few_ = Piece();
    many_->push_back(SplitUpperHalf(many_->front()));
    return;
  }
  const auto piece = PieceFor(number);
  InsertInto(*piece, number);
  if (piece->size() <= kMostInPiece) return;
  Piece upper = SplitUpperHalf(*piece);
  many_->insert(std::next(piece), std::move(upper));
}

void SortedNumbers::Erase(PointNumber number) {
  if (!many_) {
    EraseFrom(few_, number);
    return;
  }
  const auto piece = PieceFor(number);
  EraseFrom(*piece, number);
  if (!piece->empty()) return;
  many_->erase(piece);
  if (many_->size() > 1) return;
  few_ = std::move(many_->front());
  many_.reset();
}

std::size_t SortedNumbers::size() const {
  if (!many_) return few_.size();
  std::size_t sum = 0;
  for (const Piece& piece : *many_) sum += piece.size();
  return sum;
}

std::size_t SortedNumbers::bytes() const {
  std::size_t sum = few_.capacity() * sizeof(PointNumber);
  if (!many_) return sum;
  sum += sizeof(Pieces) + many_->capacity() * sizeof(Piece);
  for (const Piece& piece : *many_) {
    sum += piece.capacity() * sizeof(PointNumber);
  }
  return sum;
}

std::vector<PointNumber> SortedNumbers::Numbers() const {
  std::vector<PointNumber> all;
  all.reserve(size());
  VisitPieces([&all](std::span<const PointNumber> piece) {
    all.insert(all.end(), piece.begin(), piece.end());
    return true;
  });
  return all;
}

}  // namespace manyarms::lsh
