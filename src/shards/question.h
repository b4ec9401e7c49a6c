#ifndef MANYARMS_SHARDS_QUESTION_H_
#define MANYARMS_SHARDS_QUESTION_H_

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "posterior/belief.h"
#include "search/search.h"

namespace manyarms {

/// A query that can be sent, with what its belief must tell.
struct Question {
  std::uint64_t number = 0;  ///< by which the learner knows it
  Objective objective = Objective::kInnerProduct;
  double exploration = 0;
  std::uint64_t version = 0;
  double widest_width = 0;
  Eigen::VectorXd direction;
  RowMatrix factor;  ///< lower triangular; empty if the objective needs none

  static Question Of(std::uint64_t number, Objective objective,
                     const Query& query);

  /// Whether this is the question that the query asks, to the last bit.
  bool Asks(const Query& query) const;

  void Write(ByteWriter& writer) const;
  /// Throws Error(kCorrupt) for what no learner can have written, and
  /// Error(kInvalidArgument) for a question about arms of another kind.
  static Question Read(ByteReader& reader, Objective objective,
                       std::size_t dim);

  std::string Bytes() const;
  static Question From(std::string_view bytes, Objective objective,
                       std::size_t dim);
};

/// Reads a vector of `dim` finite values that no posterior exceeds. Throws
/// Error(kCorrupt).
Eigen::VectorXd ReadCoefficients(ByteReader& reader, std::size_t dim);
void WriteCoefficients(ByteWriter& writer, const Eigen::VectorXd& values);

/// The belief of who asks a question, as far as the question tells it. It
/// refers to the question.
class SentBelief final : public Belief {
 public:
  explicit SentBelief(const Question& question,
                      Eigen::VectorXd mean = Eigen::VectorXd())
      : question_(question), mean_(std::move(mean)) {}

  Eigen::VectorXd Mean() const override { return mean_; }
  RowMatrix InverseFactor() const override { return question_.factor; }
  std::uint64_t version() const override { return question_.version; }
  double WidthGrowthSince(std::uint64_t /*version*/) const override {
    return 1;
  }
  double WidestWidth() const override { return question_.widest_width; }

  Query query() const;

 private:
  const Question& question_;
  const Eigen::VectorXd mean_;
};

}  // namespace manyarms

#endif  // MANYARMS_SHARDS_QUESTION_H_
