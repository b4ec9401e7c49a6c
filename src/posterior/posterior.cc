#include "posterior/posterior.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "kernels/rotations.h"
#include "kernels/substitution.h"
#include "kernels/triangular.h"
#include "manyarms/types.h"
#include "posterior/logistic.h"

namespace manyarms {
namespace {

using Eigen::Index;

// In a forged file entries of the inverse may be larger.
constexpr double kMostInverse = 1e6;

Index Signed(std::size_t n) { return static_cast<Index>(n); }
std::size_t Unsigned(Index n) { return static_cast<std::size_t>(n); }

// L and z are named in the comment of the class.
auto FactorOf(const Eigen::MatrixXd& augmented) {
  const Index d = augmented.rows() - 1;
  return augmented.topLeftCorner(d, d);
}
auto RotatedMeanOf(const Eigen::MatrixXd& augmented) {
  const Index d = augmented.rows() - 1;
  return augmented.row(d).head(d).transpose();
}

// The part of column j of the lower triangular factor that is not zero.
template <class Matrix>
auto ColumnOf(Matrix& augmented, Index j) {
  return std::span(augmented.col(j).data() + j, Unsigned(augmented.rows() - j));
}

// The part of row i of the inverse that is not zero.
template <class Matrix>
auto RowOf(Matrix& inverse, Index i) {
  return std::span(inverse.row(i).data(), Unsigned(i) + 1);
}

// x becomes L^-T x.
void SolveTransposed(const Eigen::MatrixXd& augmented, Eigen::VectorXd& x) {
  constexpr Index kNarrow = 64;  // up to here Eigen takes no longer
  if (x.size() > kNarrow) {
    kernels::SolveTransposed(augmented.data(), Unsigned(augmented.rows()),
                             {x.data(), Unsigned(x.size())});
    return;
  }
  FactorOf(augmented).transpose().triangularView<Eigen::Upper>().solveInPlace(
      x);
}

}  // namespace

Posterior::Posterior(std::size_t dim, double regularisation,
                     const Learning& learning)
    : dim_(dim), learning_(learning), regularisation_(regularisation) {
  CheckDim(dim);
  CheckRegularisation(regularisation);
  const Index d = Signed(dim);
  factor_ = Eigen::MatrixXd::Identity(d + 1, d + 1);
  factor_.diagonal().head(d).setConstant(std::sqrt(regularisation));
  Prepare();
}

Posterior::Posterior(const PriorFactor& prior, const Learning& learning)
    : dim_(Unsigned(prior.factor().rows()) - 1),
      learning_(learning),
      regularisation_(prior.floor()),
      factor_(prior.factor()),
      prior_(std::make_shared<const Eigen::MatrixXd>(prior.factor())) {
  Prepare();
}

void Posterior::Prepare() {
  CheckWithin("forgetting", learning_.forgetting, kMinForgetting, 1);
  if (forgets()) upkeep_.emplace(learning_.forgetting, dim_ + 1);
  start_ = factor_.rowwise().squaredNorm().maxCoeff();
  observation_.resize(Signed(dim_) + 1);
  cosines_.resize(dim_ + 1);
  sines_.resize(dim_ + 1);
}

void Posterior::Update(std::span<const float> features, double reward) {
  CheckFeatures(features, dim_);
  CheckReward(reward, learning_.rewards);
  const Index d = Signed(dim_);
  observation_.head(d) =
      Eigen::Map<const Eigen::VectorXf>(features.data(), d).cast<double>();
  observation_[d] = reward;
  LearnObservation();
}

void Posterior::Update(std::span<const double> features, double reward) {
  const Index d = Signed(dim_);
  observation_.head(d) = Eigen::Map<const Eigen::VectorXd>(features.data(), d);
  observation_[d] = reward;
  LearnObservation();
}

void Posterior::LearnObservation() {
  if (forgets()) Fade(learning_.forgetting);
  if (learning_.rewards == RewardModel::kClicks) LineariseClick();
  RotateInObservation();
  if (forgets()) {
    const PriorUpkeep::Due due = upkeep_->After(updates_);
    for (std::size_t j = due.first; j < due.last; ++j) {
      PutBackPrior(j, due.part);
    }
  }
  ++updates_;
  // Without forgetting, updates contract the rounding errors of A. With it they
  // add up, in proportion to the number of updates.
  constexpr std::uint64_t kUpdatesBetweenInversions = std::uint64_t{1} << 16;
  if (forgets() && rotates_inverse() &&
      updates_ % kUpdatesBetweenInversions == 0) {
    inverse_ = InvertedFactor();
  }
  FactorChanged();
}

void Posterior::FactorChanged() { inverse_is_current_ = rotates_inverse(); }

void Posterior::LineariseClick() {
  const Index d = Signed(dim_);
  // With y = L^-1 x, the mean of <theta, x> is <y, z>, and its variance |y|^2.
  Eigen::VectorXd y = observation_.head(d);
  FactorOf(factor_).triangularView<Eigen::Lower>().solveInPlace(y);
  const WeightedReward linear = LinearisedClick(
      y.dot(RotatedMeanOf(factor_)), y.squaredNorm(), observation_[d]);
  observation_.head(d) *= linear.root;
  observation_[d] = linear.reward;
}

void Posterior::RotateInObservation() {
  // Givens rotations fold the observation into the factor, column by column.
  // (Eigen's LLT::rankUpdate does the same, but needs an LLT, and making one
  // costs O(d^3) even for a diagonal matrix.) The bounds on features and
  // rewards keep the squares far from overflow.
  const kernels::Rotations rotations{cosines_, sines_};
  kernels::RotateIn({observation_.data(), dim_ + 1}, factor_.data(), dim_ + 1,
                    rotations);
  if (rotates_inverse()) {
    // With M = [L x; 0 1] and Q the product of the rotations, M Q = [L' 0; . .]
    // and (M Q)^-1 = Q' M^-1, whose first columns are Q' [A; 0].
    std::ranges::fill(extra_row_, 0.0);
    kernels::RotateRows(rotations, inverse_.data(), extra_row_);
  }
}

// V, b and c are multiplied by `part`.
void Posterior::Fade(double part) {
  const double root = std::sqrt(part);
  factor_ *= root;
  if (rotates_inverse()) inverse_ /= root;
}

void Posterior::PutBackPrior(std::size_t column, double part) {
  const Index j = Signed(column);
  if (prior_) {
    observation_ = std::sqrt(part) * prior_->col(j);
  } else {
    observation_.setZero();
    observation_[j] = std::sqrt(column < dim_ ? part * regularisation_ : part);
  }
  RotateInObservation();
}

void Posterior::Forget(double share) {
  CheckWithin("share", share, 0, 1);
  if (share == 1 && prior_) {
    factor_ = *prior_;
  } else if (share == 1) {
    factor_.setIdentity();
    factor_.diagonal()
        .head(Signed(dim_))
        .setConstant(std::sqrt(regularisation_));
  } else {
    Fade(1 - share);
    for (std::size_t j = 0; j <= dim_; ++j) PutBackPrior(j, share);
  }
  if (rotates_inverse()) inverse_ = InvertedFactor();
  forgotten_at_ = ++updates_;
  FactorChanged();
}

double Posterior::WidthGrowthSince(std::uint64_t version) const {
  // The bounds on features, steps and the prior allow for no more.
  constexpr double kMostGrowth = 1e20;
  if (version < forgotten_at_) return kMostGrowth;
  if (!forgets()) return 1;
  const auto updates = static_cast<double>(updates_ - version);
  return std::min(kMostGrowth,
                  std::pow(learning_.forgetting, -updates / 2) * (1 + 0x1p-20));
}

Eigen::VectorXd Posterior::Mean() const {
  Eigen::VectorXd mean = RotatedMeanOf(factor_);
  SolveTransposed(factor_, mean);
  return mean;
}

Eigen::VectorXd Posterior::Sample(double scale,
                                  std::span<const double> xi) const {
  const Eigen::Map<const Eigen::VectorXd> noise(xi.data(), Signed(xi.size()));
  Eigen::VectorXd theta = RotatedMeanOf(factor_) + scale * noise;
  SolveTransposed(factor_, theta);
  return theta;
}

double Posterior::Width(std::span<const float> features) const {
  CheckFeatures(features, dim_);
  return Width(std::vector<double>(features.begin(), features.end()));
}

double Posterior::Width(std::span<const double> features) const {
  Eigen::VectorXd x =
      Eigen::Map<const Eigen::VectorXd>(features.data(), Signed(dim_));
  FactorOf(factor_).triangularView<Eigen::Lower>().solveInPlace(x);
  return x.norm();
}

void Posterior::SolveLower(Eigen::MatrixXd& columns) const {
  FactorOf(factor_).triangularView<Eigen::Lower>().solveInPlace(columns);
}

RowMatrix Posterior::InvertedFactor() const {
  const Index d = Signed(dim_);
  RowMatrix inverse(d, d);
  kernels::InvertLower(factor_.data(), dim_ + 1, dim_, inverse.data());
  return inverse;
}

RowMatrix Posterior::InverseFactor() const {
  return inverse_is_current_ ? inverse_ : InvertedFactor();
}

const RowMatrix& Posterior::Inverse() {
  if (!inverse_is_current_) {
    inverse_ = InvertedFactor();
    inverse_is_current_ = true;
  }
  return inverse_;
}

void Posterior::KeepInverse() {
  if (keeps_inverse_) return;
  keeps_inverse_ = true;
  if (!rotates_inverse()) return;
  inverse_is_current_ = true;
  extra_row_.resize(dim_);
  if (updates_ > 0 || !FactorOf(factor_).isDiagonal(0)) {
    inverse_ = InvertedFactor();
    return;
  }
  const Index d = Signed(dim_);
  inverse_ = RowMatrix::Zero(d, d);
  inverse_.diagonal() = FactorOf(factor_).diagonal().cwiseInverse();
}

// On paper rotations lengthen no column of A. Each may round it up by a few
// units in the last place: a million updates with 4,096 features by 2e-6 of its
// length at most.
double Posterior::WidestWidth() const {
  return (1 + 0x1p-16) / std::sqrt(PrecisionFloor());
}

// A number that no eigenvalue of V is below, but for rounding.
double Posterior::PrecisionFloor() const {
  return forgets() ? PriorUpkeep::kLeastPart * regularisation_
                   : regularisation_;
}

std::size_t Posterior::packed_size() const {
  const std::size_t of_factor = (dim_ + 1) * (dim_ + 2) / 2;
  return rotates_inverse() ? of_factor + dim_ * (dim_ + 1) / 2 : of_factor;
}

void Posterior::Pack(std::span<double> packed) const {
  auto to = packed.begin();
  for (Index j = 0; j < factor_.cols(); ++j) {
    to = std::ranges::copy(ColumnOf(factor_, j), to).out;
  }
  if (!rotates_inverse()) return;
  for (Index i = 0; i < inverse_.rows(); ++i) {
    to = std::ranges::copy(RowOf(inverse_, i), to).out;
  }
}

void Posterior::Unpack(std::span<const double> packed, std::uint64_t updates,
                       const Posterior& fresh) {
  const auto take = [&packed](std::span<double> to) {
    std::ranges::copy(packed.first(to.size()), to.begin());
    packed = packed.subspan(to.size());
  };
  for (Index j = 0; j < factor_.cols(); ++j) take(ColumnOf(factor_, j));
  if (rotates_inverse()) {
    for (Index i = 0; i < inverse_.rows(); ++i) take(RowOf(inverse_, i));
  }
  FactorChanged();
  updates_ = updates;
  regularisation_ = fresh.regularisation_;
  prior_ = fresh.prior_;
  forgotten_at_ = 0;
}

Posterior::Moments Posterior::moments() const {
  const Index d = Signed(dim_);
  const Eigen::MatrixXd lower = factor_.triangularView<Eigen::Lower>();
  const Eigen::MatrixXd bordered = lower * lower.transpose();
  return {.v = bordered.topLeftCorner(d, d),
          .b = bordered.col(d).head(d),
          .c = bordered(d, d)};
}

void Posterior::Save(ByteWriter& writer) const {
  writer.Transfer(updates_);
  for (Index j = 0; j < factor_.cols(); ++j) {
    writer.Values(std::span<const double>(ColumnOf(factor_, j)));
  }
}

void Posterior::Restore(ByteReader& reader) {
  reader.Transfer(updates_);
  CheckSaved(updates_ <= kMaxSteps, "it has learned too much");
  // The squares in a row of the factor add up to a diagonal entry of the matrix
  // that it factorises, which bounds every entry; and an update never decreases
  // a diagonal entry of the factor.
  const double most = std::sqrt(
      std::max(kMaxRegularisation, start_) +
      static_cast<double>(updates_ + 1) *
          std::max(kMaxFeature * kMaxFeature, kMaxReward * kMaxReward));
  const double least =
      std::sqrt(std::min(forgets() ? PriorUpkeep::kLeastPart : 1.0,
                         PrecisionFloor())) *
      (1 - 1e-9);
  for (Index j = 0; j < factor_.cols(); ++j) {
    reader.Values(ColumnOf(factor_, j));
    const auto column = factor_.col(j).tail(factor_.rows() - j);
    CheckSaved(column.allFinite() && column.cwiseAbs().maxCoeff() <= most &&
                   column[0] >= least,
               "what it has learned is out of bounds");
  }
  // In a forged file every entry may be within its bounds and scores still be
  // infinite or NaN. Updates cannot make entries above 1/sqrt(lambda) in the
  // inverse and |z|/sqrt(lambda) in the mean, far below these bounds.
  constexpr double kMostMean = 1e25;
  RowMatrix inverse = InvertedFactor();
  const Eigen::VectorXd mean = Mean();
  CheckSaved(inverse.allFinite() && mean.allFinite() &&
                 inverse.cwiseAbs().maxCoeff() <= kMostInverse &&
                 mean.cwiseAbs().maxCoeff() <= kMostMean,
             "what it has learned is out of bounds");
  if (!keeps_inverse_) return;
  inverse_ = std::move(inverse);
  inverse_is_current_ = true;
}

void Posterior::SaveInverse(ByteWriter& writer) const {
  writer.Transfer(rotates_inverse());
  if (!rotates_inverse()) return;
  for (Index i = 0; i < inverse_.rows(); ++i) {
    writer.Values(std::span<const double>(RowOf(inverse_, i)));
  }
}

void Posterior::RestoreInverse(ByteReader& reader) {
  bool is_there = false;
  reader.Transfer(is_there);
  if (!is_there) return;
  CheckSaved(keeps_inverse_, "what it has learned is another policy's");
  Eigen::RowVectorXd row;
  for (Index i = 0; i < Signed(dim_); ++i) {
    row.resize(i + 1);
    reader.Values(std::span<double>(row.data(), Unsigned(i) + 1));
    // Rotations multiply A(i, i) by the number by which they divide L(i, i), so
    // however many there were, the product of the two remains 1.
    CheckSaved(row.allFinite() && row.cwiseAbs().maxCoeff() <= kMostInverse &&
                   std::abs(row[i] * factor_(i, i) - 1) <= 1e-2,
               "what it has learned is out of bounds");
    if (rotates_inverse()) inverse_.row(i).head(i + 1) = row;
  }
}

}  // namespace manyarms
