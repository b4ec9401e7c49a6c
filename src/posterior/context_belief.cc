#include "posterior/context_belief.h"

#include <Eigen/QR>

namespace manyarms {
namespace {

// A lower triangular F with F'F = B'B and a diagonal that is not negative. From
// B = QR follows B'B = R'R; with the columns of B, and then rows and columns of
// R, in reverse order the upper triangle becomes a lower one. (The Cholesky
// factor of B'B would be right to half as many digits.)
RowMatrix LowerFactor(const Eigen::MatrixXd& b) {
  const Eigen::Index d = b.cols();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(b.rowwise().reverse());
  RowMatrix factor = RowMatrix::Zero(d, d);
  for (Eigen::Index i = 0; i < d; ++i) {
    const double sign = qr.matrixQR()(i, i) < 0 ? -1 : 1;
    for (Eigen::Index j = i; j < d; ++j) {
      factor(d - 1 - i, d - 1 - j) = sign * qr.matrixQR()(i, j);
    }
  }
  return factor;
}

}  // namespace

void ContextBelief::Enter(const Posterior& posterior, Context context) {
  posterior_ = &posterior;
  context_.assign(context.begin(), context.end());
}

Eigen::VectorXd ContextBelief::Mean() const {
  return model_.Direction(posterior_->Mean(), context_)
      .head(static_cast<Eigen::Index>(model_.arm_dim()));
}

// With A = L^-1 and the matrix C that turns an arm into its products with c,
// the variance is |A C x|^2.
RowMatrix ContextBelief::FactorFrom(const RowMatrix& inverse) const {
  const Eigen::VectorXd extended = model_.Extended(context_);
  const auto n = static_cast<Eigen::Index>(model_.coefficients());
  const auto width = static_cast<Eigen::Index>(model_.columns());
  const auto d = static_cast<Eigen::Index>(model_.arm_dim());
  RowMatrix spread = RowMatrix::Zero(n, d);
  for (Eigen::Index i = 0; i < extended.size(); ++i) {
    const Eigen::Index first = i * width;  // rows above it are zero here
    spread.bottomRows(n - first) +=
        extended[i] * inverse.block(first, first, n - first, d);
  }
  return LowerFactor(spread);
}

RowMatrix ContextBelief::InverseFactor() const {
  const Eigen::VectorXd extended = model_.Extended(context_);
  const auto n = static_cast<Eigen::Index>(model_.coefficients());
  const auto width = static_cast<Eigen::Index>(model_.columns());
  const auto d = static_cast<Eigen::Index>(model_.arm_dim());
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(n, d);
  for (Eigen::Index i = 0; i < extended.size(); ++i) {
    spread.middleRows(i * width, d).diagonal().setConstant(extended[i]);
  }
  posterior_->SolveLower(spread);
  return LowerFactor(spread);
}

double ContextBelief::WidestWidth() const {
  return model_.Length(context_) * posterior_->WidestWidth() * (1 + 0x1p-40);
}

}  // namespace manyarms
