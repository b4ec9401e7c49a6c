#include "research/progressive_score.h"

#include <algorithm>
#include <cmath>

namespace manyarms {
namespace {

double Square(double x) { return x * x; }

double LogLossOf(double probability, double reward) {
  constexpr double kLeast = 1e-15;
  const double p = std::clamp(probability, kLeast, 1 - kLeast);
  return -(reward * std::log(p) + (1 - reward) * std::log1p(-p));
}

}  // namespace

void ProgressiveScore::Add(double prediction, double reward) {
  // As if half a click had been seen in one choice before the first.
  const double mean =
      clicks_ ? (rewards_ + 0.5) / (static_cast<double>(events_) + 1)
              : MeanReward();
  ++events_;
  rewards_ += reward;
  squares_ += Square(reward - prediction);
  squares_of_mean_ += Square(reward - mean);
  if (!clicks_) return;
  log_loss_ += LogLossOf(prediction, reward);
  log_loss_of_mean_ += LogLossOf(mean, reward);
  const double place = std::clamp(prediction * 10, 0.0, 9.0);
  Tenth& tenth = tenths_[static_cast<std::size_t>(place)];
  ++tenth.events;
  tenth.predictions += prediction;
  tenth.rewards += reward;
}

double ProgressiveScore::Error() const { return std::sqrt(Average(squares_)); }

double ProgressiveScore::ErrorOfMean() const {
  return std::sqrt(Average(squares_of_mean_));
}

double ProgressiveScore::CalibrationError() const {
  double distance = 0;
  for (const Tenth& tenth : tenths_) {
    distance += std::abs(tenth.predictions - tenth.rewards);
  }
  return Average(distance);
}

}  // namespace manyarms
