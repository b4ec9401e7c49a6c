#ifndef MANYARMS_SEARCH_LIFTING_H_
#define MANYARMS_SEARCH_LIFTING_H_

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "search/search.h"

/// Maps that turn one kind of search into another, as pure functions.
namespace manyarms {

/// Length of vec(x x') folded to its lower triangle: d(d+1)/2.
inline std::size_t FoldedSize(std::size_t dim) { return dim * (dim + 1) / 2; }

/// vec(x x') folded: x_i x_j for j <= i, times sqrt 2 where j < i, so that
/// <FoldSquare(x), FoldForm(W)> = x'Wx. REQUIRES: out has FoldedSize.
void FoldSquare(std::span<const float> x, std::span<float> out);

/// The same for W = factor' factor.
void FoldForm(const RowMatrix& factor, std::span<float> out);

/// The space in which an objective is an inner product: that of the arms, for
/// quadratic forms that of folded squares, and for quadratic optimism that of
/// arms followed by their folded squares. REQUIRES: the objective is not
/// kOptimism, which is no inner product.
std::size_t LiftedDim(Objective objective, std::size_t dim);
void LiftArm(Objective objective, std::span<const float> x,
             std::span<float> out);
void LiftQuery(Objective objective, const Query& query, std::span<float> out);

/// The extra coordinate of an arm by which the largest inner product becomes
/// the smallest Euclidean distance (appendix A.1): with p' = [p; e],
/// q' = [q; 0] and e^2 = bound^2 - |p|^2,
///     |p' - q'|^2 = bound^2 + |q|^2 - 2<p, q>.
/// The paper's own map has bound = sqrt 3 for |p| <= 1 and two coordinates
/// more, which are the same for all points. REQUIRES: |p| <= bound.
float EuclideanCoordinate(std::span<const float> p, double bound);

double Norm(std::span<const float> p);

}  // namespace manyarms

#endif  // MANYARMS_SEARCH_LIFTING_H_
