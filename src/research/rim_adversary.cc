#include "research/rim_adversary.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace manyarms {
namespace {

// Rounding must not move a query below the inner product that qualifies.
constexpr double kMargin = 1e-6;

// The blind spots of one copy are a few tenths wide; regions where several
// copies are blind are narrower. Step sizes range between these two.
constexpr double kLargestStep = 0.3;
constexpr double kSmallestStep = 0.01;

// A random place is the one with the fewest acceptable answers of this many.
constexpr std::size_t kDraws = 8;

// One query in four explores elsewhere, and after this many queries without
// progress the adversary gives up its worst place.
constexpr std::uint64_t kExploreOneIn = 4;
constexpr std::size_t kPatience = 150;

}  // namespace

RimAdversary::RimAdversary(const lsh::PointTable& points, double qualifies,
                           double accepted, RandomStream random)
    : points_(points),
      qualifies_(qualifies),
      accepted_(accepted),
      random_(random),
      step_(kSmallestStep) {
  now_.query.resize(points.dim());
}

std::span<const double> RimAdversary::Random() {
  GoToRandomPlace();
  return now_.query;
}

std::span<const double> RimAdversary::Next() {
  // A query that the first copy answered gives no hint where copies fail.
  explores_ = !worst_.failed &&
              (worst_.copies_asked <= 1 || random_.Below(kExploreOneIn) == 0);
  if (explores_) {
    GoToRandomPlace();
  } else if (worst_.failed) {
    GoNear(worst_, step_);
  } else {
    GoNear(worst_, kLargestStep * std::pow(kSmallestStep / kLargestStep,
                                           random_.Uniform()));
  }
  return now_.query;
}

bool RimAdversary::IsWorse(const Place& one, const Place& other) {
  return one.failed != other.failed ? one.failed
                                    : one.copies_asked > other.copies_asked;
}

void RimAdversary::Hear(bool answered, std::size_t copies_asked) {
  now_.failed = !answered;
  now_.copies_asked = copies_asked;
  ++vain_;
  const bool worse = IsWorse(now_, worst_);
  // A step to an equally bad place is kept, as it may lead along a blind spot.
  if (worse || (!explores_ && !IsWorse(worst_, now_))) worst_ = now_;
  if (worse) vain_ = 0;
  if (worst_.failed) {
    if (answered) step_ /= 2;  // the step led out of the blind spot
  } else if (vain_ > kPatience) {
    worst_ = {};
    vain_ = 0;
  }
}

void RimAdversary::GoToRandomPlace() {
  Place best;
  std::size_t fewest = points_.end() + 1;
  for (std::size_t i = 0; i < kDraws; ++i) {
    now_.point = static_cast<lsh::PointNumber>(random_.Below(points_.end()));
    random_.Gaussians(now_.query);
    MoveOntoRim();
    const std::size_t count = CountAccepted();
    if (count >= fewest) continue;
    fewest = count;
    best = now_;
  }
  now_ = std::move(best);
}

std::size_t RimAdversary::CountAccepted() const {
  std::size_t count = 0;
  for (lsh::PointNumber n = 0; n < points_.end(); ++n) {
    const std::span<const float> point = points_[n];
    if (std::inner_product(point.begin(), point.end(), now_.query.begin(),
                           0.0) >= accepted_) {
      ++count;
    }
  }
  return count;
}

void RimAdversary::GoNear(const Place& place, double step) {
  now_ = place;
  for (double& value : now_.query) value += step * random_.Gaussian();
  MoveOntoRim();
}

// Keeps the query's direction orthogonal to the point and sets its component
// along the point so that the query has length 1 and just qualifies.
void RimAdversary::MoveOntoRim() {
  const std::span<const float> point = points_[now_.point];
  const double length = lsh::Length(point);
  double along = 0;
  for (std::size_t j = 0; j < point.size(); ++j) {
    along += now_.query[j] * point[j] / length;
  }
  double across = 0;
  for (std::size_t j = 0; j < point.size(); ++j) {
    now_.query[j] -= along * point[j] / length;
    across += now_.query[j] * now_.query[j];
  }
  across = std::sqrt(across);
  const double cosine = (qualifies_ + kMargin) / length;
  const double sine = std::sqrt(1 - cosine * cosine);
  for (std::size_t j = 0; j < point.size(); ++j) {
    now_.query[j] = cosine * point[j] / length + sine * now_.query[j] / across;
  }
}

}  // namespace manyarms
