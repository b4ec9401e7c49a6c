#ifndef MANYARMS_RESEARCH_PROGRESSIVE_SCORE_H_
#define MANYARMS_RESEARCH_PROGRESSIVE_SCORE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace manyarms {

/// How good predictions were, each made before its reward was learned. Beside
/// them stands the mean of the rewards so far (0.5 before the first, of clicks;
/// otherwise 0), which knows nothing of arms.
class ProgressiveScore {
 public:
  /// Predictions of clicks are probabilities.
  explicit ProgressiveScore(bool clicks) : clicks_(clicks) {}

  void Add(double prediction, double reward);

  std::uint64_t events() const { return events_; }
  double MeanReward() const { return Average(rewards_); }

  /// Roots of the mean squared errors.
  double Error() const;
  double ErrorOfMean() const;

  /// Of clicks: the mean of -(r ln p + (1 - r) ln(1 - p)). Probabilities count
  /// as at least 1e-15 away from 0 and 1.
  double LogLoss() const { return Average(log_loss_); }
  double LogLossOfMean() const { return Average(log_loss_of_mean_); }

  /// Predictions of clicks by tenths: those from 0 to 0.1, and so on.
  struct Tenth {
    std::uint64_t events = 0;
    double predictions = 0;  ///< their sum
    double rewards = 0;      ///< their sum
  };
  const std::array<Tenth, 10>& tenths() const { return tenths_; }

  /// The mean distance between predictions and rewards by tenths, each counting
  /// by its events.
  double CalibrationError() const;

 private:
  double Average(double sum) const {
    return events_ == 0 ? 0 : sum / static_cast<double>(events_);
  }

  const bool clicks_;
  std::uint64_t events_ = 0;
  double rewards_ = 0;
  double squares_ = 0;
  double squares_of_mean_ = 0;
  double log_loss_ = 0;
  double log_loss_of_mean_ = 0;
  std::array<Tenth, 10> tenths_{};
};

}  // namespace manyarms

#endif  // MANYARMS_RESEARCH_PROGRESSIVE_SCORE_H_
