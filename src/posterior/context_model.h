#ifndef MANYARMS_POSTERIOR_CONTEXT_MODEL_H_
#define MANYARMS_POSTERIOR_CONTEXT_MODEL_H_

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "manyarms/context.h"
#include "posterior/posterior.h"

namespace manyarms {

/// How the coefficients of the model c'Mx lie in a posterior: row after row of
/// M, where c and x are followed by constants if there are constants. To the
/// posterior, a reward of arm x in context c is one of the vector of all
/// products of an entry of c and an entry of x.
///
/// Without contexts the coefficients are those of the arms' features.
class ContextModel {
 public:
  struct Shape {
    std::size_t arm_dim = 0;      ///< features of an arm in the store
    std::size_t context_dim = 0;  ///< 0: there are no contexts
    bool constants = false;
    /// Whether the last feature of every arm in the store is the constant 1.
    /// Policies that ask for widths need it there. For inner products it is the
    /// same summand for all arms, and arms are found faster without it.
    bool constant_is_stored = false;
  };

  /// Throws Error(kInvalidArgument) for more than kMaxDim coefficients.
  explicit ContextModel(const Shape& shape);

  bool has_contexts() const { return shape_.context_dim > 0; }
  std::size_t context_dim() const { return shape_.context_dim; }
  std::size_t arm_dim() const { return shape_.arm_dim; }

  /// The dimension of the posterior.
  std::size_t coefficients() const { return rows() * columns(); }

  /// Features of a context with its constant, and of an arm with its constant.
  std::size_t rows() const;
  std::size_t columns() const;

  /// Throws Error(kInvalidArgument), with a message that names what is wrong.
  void Check(Context context) const;

  /// The same for `count` contexts one after another.
  void CheckAll(std::span<const float> contexts, std::size_t count) const;

  /// The same for one context that serves for all `count`, or for one for each.
  void CheckOneOrAll(std::span<const float> contexts, std::size_t count) const;

  /// REQUIRES for the rest: the context was checked.

  /// That number `i` of several contexts one after another, or the only one.
  Context At(std::span<const float> contexts, std::size_t i) const {
    const std::size_t p = shape_.context_dim;
    return contexts.size() == p ? contexts : contexts.subspan(i * p, p);
  }

  /// c with its constant.
  Eigen::VectorXd Extended(Context context) const;

  /// The products of c and x, which the posterior learns from.
  std::vector<double> Products(Context context,
                               std::span<const float> arm) const;

  /// M'c: coefficients of an arm's features, and of its constant if that is not
  /// stored. Without contexts, the coefficients themselves.
  Eigen::VectorXd Direction(const Eigen::VectorXd& coefficients,
                            Context context) const;

  /// The length of c with its constant.
  double Length(Context context) const;

  /// Whether bounds on arms that are derived in this context are accurate: not
  /// if the context is so short that widths would lose digits in float.
  bool MayHaveOrder(Context context) const;

  /// The expected reward of an arm, by a direction from above.
  static double Predict(const Eigen::VectorXd& direction,
                        std::span<const float> arm);

  /// Learns the reward of an arm in a context.
  void Learn(Posterior& posterior, Context context, std::span<const float> arm,
             double reward) const;

  /// Learns the reward of a decision. `row` has its context and then the arm's
  /// features.
  void LearnRow(Posterior& posterior, std::span<const float> row,
                double reward) const {
    Learn(posterior, row.first(context_dim()), row.subspan(context_dim()),
          reward);
  }

  /// |x|_{V^-1} of an arm in a context.
  double Width(const Posterior& posterior, Context context,
               std::span<const float> arm) const;

 private:
  Shape shape_;
};

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_CONTEXT_MODEL_H_
