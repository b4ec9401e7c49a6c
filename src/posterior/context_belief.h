#ifndef MANYARMS_POSTERIOR_CONTEXT_BELIEF_H_
#define MANYARMS_POSTERIOR_CONTEXT_BELIEF_H_

#include <cstdint>

#include "posterior/belief.h"
#include "posterior/context_model.h"
#include "posterior/posterior.h"

namespace manyarms {

/// What a posterior over c'Mx says about arms in one context. It refers to the
/// posterior, and is valid until that changes.
class ContextBelief final : public Belief {
 public:
  explicit ContextBelief(const ContextModel& model) : model_(model) {}

  /// Becomes the belief in this context.
  void Enter(const Posterior& posterior, Context context);

  Eigen::VectorXd Mean() const override;

  /// F, lower triangular, where |F x|^2 is the variance of c'Mx over the
  /// posterior. With n coefficients and d features it costs O(n^2 d).
  RowMatrix InverseFactor() const override;

  /// The same from the posterior's inverse factor, for callers who have that.
  /// Costs O(n^2 + n d^2).
  RowMatrix FactorFrom(const RowMatrix& inverse) const;

  std::uint64_t version() const override { return posterior_->version(); }

  /// Widths in one context grow no more than those of the posterior: if V
  /// grows, so does its Schur complement in this context.
  double WidthGrowthSince(std::uint64_t version) const override {
    return posterior_->WidthGrowthSince(version);
  }

  double WidestWidth() const override;

 private:
  ContextModel model_;
  const Posterior* posterior_ = nullptr;
  std::vector<float> context_;
};

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_CONTEXT_BELIEF_H_
