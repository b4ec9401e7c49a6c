#ifndef MANYARMS_POLICY_QUESTIONS_H_
#define MANYARMS_POLICY_QUESTIONS_H_

#include <cstdint>
#include <memory>

#include "manyarms/policy_options.h"
#include "posterior/posterior.h"
#include "search/search.h"

namespace manyarms {

/// What a policy asks its search, if each choice is one question over all arms
/// (ts and ucb). A question depends on the learner's posterior, its seed and
/// the number of its choice alone, so that one object can serve any number of
/// learners, one after another.
///
/// Thread safety: none; one thread at a time.
class Questions {
 public:
  Questions() = default;
  virtual ~Questions() = default;
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  /// The question for a learner's choice, of which there were `choices` before.
  /// It refers to the posterior and to memory of this object, and is valid
  /// until the next call or until the posterior changes. Costs O(d^2).
  virtual Query Ask(const Posterior& posterior, std::uint64_t seed,
                    std::uint64_t choices) = 0;

  /// Whether a question depends on the seed and the number of the choice.
  virtual bool is_random() const = 0;

  /// Whether the posterior must keep its inverse factor.
  virtual bool needs_inverse() const = 0;

  /// beta in the paper, as a number.
  virtual double exploration() const = 0;
};

/// The questions of learners whose posteriors have the dimension and the
/// regularisation of `posterior`. None for a policy that needs more than one
/// question over all arms (elim). Throws Error(kInvalidArgument) for options
/// out of bounds.
std::unique_ptr<Questions> MakeQuestions(const PolicyOptions& policy,
                                         const Posterior& posterior);

}  // namespace manyarms

#endif  // MANYARMS_POLICY_QUESTIONS_H_
