#ifndef MANYARMS_POLICY_QUESTIONS_H_
#define MANYARMS_POLICY_QUESTIONS_H_

#include <cstdint>
#include <memory>

#include "manyarms/context.h"
#include "manyarms/policy_options.h"
#include "posterior/context_model.h"
#include "posterior/posterior.h"
#include "search/search.h"

namespace manyarms {

/// What a policy asks its search, if each choice is one question over all arms
/// (ts and ucb). A question depends on the learner's posterior, its seed, the
/// number of its choice and the context alone, so that one object can serve any
/// number of learners, one after another.
///
/// Thread safety: none; one thread at a time.
class Questions {
 public:
  Questions() = default;
  virtual ~Questions() = default;
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  /// Who asks, and when.
  struct Turn {
    Posterior& posterior;  ///< which computes its inverse if that is needed
    std::uint64_t seed;
    std::uint64_t choices;  ///< of this learner before
    Context context;
  };

  /// The question for a learner's choice. It refers to the posterior and to
  /// memory of this object, and is valid until the next call or until the
  /// posterior changes. Costs O(d^2), but for Posterior::Inverse.
  virtual Query Ask(const Turn& turn) = 0;

  /// A number that is to be added to all scores of the last question.
  virtual float offset() const { return 0; }

  /// Whether a question depends on the seed and the number of the choice.
  virtual bool is_random() const = 0;

  /// Whether questions need the posterior's inverse factor.
  virtual bool needs_inverse() const = 0;

  /// beta in the paper, as a number.
  virtual double exploration() const = 0;
};

/// The questions of learners whose posteriors have the dimension and the
/// regularisation of `posterior`, over the coefficients of `model`. None for a
/// policy that needs more than one question over all arms (elim). Throws
/// Error(kInvalidArgument) for options out of bounds.
std::unique_ptr<Questions> MakeQuestions(const PolicyOptions& policy,
                                         const Posterior& posterior,
                                         const ContextModel& model);

}  // namespace manyarms

#endif  // MANYARMS_POLICY_QUESTIONS_H_
