#ifndef MANYARMS_POSTERIOR_LOGISTIC_H_
#define MANYARMS_POSTERIOR_LOGISTIC_H_

namespace manyarms {

/// 1 / (1 + exp(-x)).
double Sigmoid(double x);

/// An observation of a linear model: features times `root`, and this reward.
struct WeightedReward {
  double root = 0;
  double reward = 0;
};

/// Turns a click into the linear observation that has its effect. `predictor`
/// and `variance` are the mean and the variance of <theta, x> before the click,
/// and `click` is within [0, 1]. After the observation the mean of a normal
/// posterior is the mode of the logistic one, and its precision is the
/// curvature there.
///
/// Only <theta, x> matters to a click, so the mode is found in one dimension:
/// it is the eta with eta = predictor + variance (click - Sigmoid(eta)). (A
/// step of an extended Kalman filter takes the slope at `predictor` in place of
/// the mode. It goes far beyond the mode where that slope is small and the
/// variance is large.)
WeightedReward LinearisedClick(double predictor, double variance, double click);

}  // namespace manyarms

#endif  // MANYARMS_POSTERIOR_LOGISTIC_H_
