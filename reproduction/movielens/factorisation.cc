#include "reproduction/movielens/factorisation.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <span>

#include "manyarms/random.h"
#include "reproduction/parallel.h"

namespace manyarms::reproduction {
namespace {

using Matrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Entry {
  std::uint32_t other = 0;  // the row of the other side, from 0
  double value = 0;
};

// The known entries of one side, the users' or the movies', listed by row. For
// kLikedAll only the ones are listed; all other entries are known to be 0.
class Entries {
 public:
  template <class Row, class Other>
  Entries(const std::vector<Rating>& list, std::size_t rows,
          const std::vector<double>& values, const Row& row_of,
          const Other& other_of)
      : starts_(rows + 1) {
    for (const Rating& rating : list) ++starts_[row_of(rating) + 1];
    for (std::size_t i = 0; i < rows; ++i) starts_[i + 1] += starts_[i];
    entries_.resize(list.size());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t i = 0; i < list.size(); ++i) {
      entries_[next[row_of(list[i])]++] = {other_of(list[i]), values[i]};
    }
  }

  std::span<const Entry> operator[](std::size_t row) const {
    return std::span(entries_).subspan(starts_[row],
                                       starts_[row + 1] - starts_[row]);
  }
  std::size_t rows() const { return starts_.size() - 1; }

 private:
  std::vector<std::size_t> starts_;
  std::vector<Entry> entries_;
};

std::uint32_t UserRow(const Rating& rating) { return rating.user - 1; }
std::uint32_t MovieRow(const Rating& rating) { return rating.movie - 1; }

// The ratings that the target lists, with their values.
struct Known {
  std::vector<Rating> list;
  std::vector<double> values;
};

Known KnownEntries(const Ratings& ratings, Target target) {
  double mean = 0;
  for (const Rating& rating : ratings.list) {
    mean += static_cast<double>(rating.stars);
  }
  mean /= static_cast<double>(ratings.list.size());
  Known known;
  for (const Rating& rating : ratings.list) {
    const bool liked = rating.stars >= kLikedFrom;
    if (target == Target::kLikedAll && !liked) continue;
    known.list.push_back(rating);
    known.values.push_back(target == Target::kStars
                               ? static_cast<double>(rating.stars) - mean
                               : static_cast<double>(liked));
  }
  return known;
}

Matrix Start(std::size_t rows, const FactorisationOptions& options) {
  Matrix start(rows, options.dim);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = start.row(static_cast<Eigen::Index>(i));
    RandomStream(options.seed, RandomStream::Role::kFactor, i)
        .Gaussians(std::span(start.data() + i * options.dim, options.dim));
    start.row(static_cast<Eigen::Index>(i)) =
        row / std::sqrt(static_cast<double>(options.dim));
  }
  return start;
}

// Fits one row by ridge regression on the rows of the other side.
class RowSolver {
 public:
  RowSolver(const Matrix& others, const FactorisationOptions& options)
      : others_(others), options_(options) {
    if (options.target == Target::kLikedAll) {
      gram_ = others.transpose() * others;
    }
  }

  Eigen::VectorXd operator()(std::span<const Entry> entries) const {
    const auto dim = static_cast<Eigen::Index>(options_.dim);
    const bool all = options_.target == Target::kLikedAll;
    if (entries.empty()) return Eigen::VectorXd::Zero(dim);
    Eigen::MatrixXd normal = all ? gram_ : Eigen::MatrixXd::Zero(dim, dim);
    Eigen::VectorXd moment = Eigen::VectorXd::Zero(dim);
    for (const Entry& entry : entries) {
      const auto other = others_.row(entry.other).transpose();
      if (!all) normal.selfadjointView<Eigen::Lower>().rankUpdate(other);
      moment += entry.value * other;
    }
    normal.diagonal().array() +=
        options_.regularisation *
        (all ? 1.0 : static_cast<double>(entries.size()));
    return normal.selfadjointView<Eigen::Lower>().llt().solve(moment);
  }

 private:
  const Matrix& others_;
  const FactorisationOptions& options_;
  // For kLikedAll: all entries of a row are known, so all rows share this.
  Eigen::MatrixXd gram_;
};

Matrix SolveSide(const Entries& entries, const Matrix& others,
                 const FactorisationOptions& options) {
  Matrix side(entries.rows(), options.dim);
  const RowSolver solve(others, options);
  ForEachInParallel(entries.rows(), options.threads, [&](std::size_t row) {
    side.row(static_cast<Eigen::Index>(row)) = solve(entries[row]);
  });
  return side;
}

// The number of users with ratings; the others were held out.
double UsersWithRatings(const Ratings& ratings) {
  std::vector<bool> has(ratings.users + std::size_t{1});
  for (const Rating& rating : ratings.list) has[rating.user] = true;
  return static_cast<double>(std::ranges::count(has, true));
}

double TrainingError(const Ratings& ratings, const Entries& by_user,
                     const Matrix& users, const Matrix& movies, Target target) {
  // For kLikedAll the zeros that are not listed count too: their squared errors
  // sum to |UV'|^2 minus the part of the listed entries.
  double sum = 0;
  double count = 0;
  for (std::size_t user = 0; user < by_user.rows(); ++user) {
    const auto row = users.row(static_cast<Eigen::Index>(user));
    for (const Entry& entry : by_user[user]) {
      const double guess = row.dot(movies.row(entry.other));
      sum += (entry.value - guess) * (entry.value - guess);
      if (target == Target::kLikedAll) sum -= guess * guess;
      count += 1;
    }
  }
  if (target == Target::kLikedAll) {
    const Eigen::MatrixXd u = users.transpose() * users;
    const Eigen::MatrixXd v = movies.transpose() * movies;
    sum += (u * v).trace();
    count = UsersWithRatings(ratings) * static_cast<double>(movies.rows());
  }
  return std::sqrt(sum / count);
}

}  // namespace

std::string_view TargetName(Target target) {
  switch (target) {
    case Target::kStars:
      return "stars";
    case Target::kLikedRated:
      return "liked-rated";
    case Target::kLikedAll:
      break;
  }
  return "liked-all";
}

Factorisation Factorise(const Ratings& ratings,
                        const FactorisationOptions& options) {
  const Known known = KnownEntries(ratings, options.target);
  const Entries by_user(known.list, ratings.users, known.values, UserRow,
                        MovieRow);
  const Entries by_movie(known.list, ratings.movies, known.values, MovieRow,
                         UserRow);
  Matrix movies = Start(ratings.movies, options);
  Matrix users;
  for (int round = 0; round < std::max(options.rounds, 1); ++round) {
    users = SolveSide(by_user, movies, options);
    movies = SolveSide(by_movie, users, options);
  }
  return {movies.cast<float>(),
          TrainingError(ratings, by_user, users, movies, options.target)};
}

double HeldOutError(const Ratings& ratings,
                    const std::vector<std::uint32_t>& users,
                    const MovieFeatures& movies,
                    const FactorisationOptions& options) {
  const Known known = KnownEntries(ratings, options.target);
  const Entries by_user(known.list, ratings.users, known.values, UserRow,
                        MovieRow);
  const Matrix features = movies.cast<double>();
  double sum = 0;
  double count = 0;
  for (const std::uint32_t user : users) {
    std::vector<Entry> entries(by_user[user - 1].begin(),
                               by_user[user - 1].end());
    FactorisationOptions listed = options;
    if (options.target == Target::kLikedAll) {
      // The zeros are listed too, because some of them are hidden.
      std::vector<double> row(ratings.movies);
      for (const Entry& entry : entries) row[entry.other] = entry.value;
      entries.clear();
      for (std::uint32_t movie = 0; movie < ratings.movies; ++movie) {
        entries.push_back({movie, row[movie]});
      }
      listed.target = Target::kLikedRated;
      listed.regularisation /= static_cast<double>(ratings.movies);
    }
    RandomStream random(options.seed, RandomStream::Role::kSplit, user);
    std::vector<Entry> shown;
    std::vector<Entry> hidden;
    for (const Entry& entry : entries) {
      (random.Below(5) == 0 ? hidden : shown).push_back(entry);
    }
    const Eigen::VectorXd fitted = RowSolver(features, listed)(shown);
    for (const Entry& entry : hidden) {
      const double error =
          entry.value - features.row(entry.other).dot(fitted.transpose());
      sum += error * error;
      count += 1;
    }
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

}  // namespace manyarms::reproduction
