#ifndef MANYARMS_EVALUATION_SUBJECT_H_
#define MANYARMS_EVALUATION_SUBJECT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "manyarms/evaluation.h"

namespace manyarms {

/// The bandit or population that is evaluated.
class Subject {
 public:
  virtual ~Subject() = default;

  virtual void Add(std::span<const ArmId> ids, const FeatureRows& features) = 0;
  virtual void Remove(std::span<const ArmId> ids) = 0;
  virtual void Update(std::span<const ArmId> ids,
                      const FeatureRows& features) = 0;

  virtual bool Contains(ArmId arm) const = 0;

  /// Learns the reward of a choice.
  virtual void Observe(const LoggedChoice& choice) = 0;

  /// What it expects of the arms where the choice was made.
  virtual std::vector<double> Predict(const LoggedChoice& choice,
                                      std::span<const ArmId> arms) const = 0;

  /// The arms that it would choose there, asked `count` times. REQUIRES: the
  /// choice was checked.
  virtual std::vector<ArmId> Draw(const LoggedChoice& choice,
                                  std::size_t count) = 0;

  /// Chooses there once, and learns the reward if it chooses the logged arm.
  /// Returns whether it did. REQUIRES: the choice was checked.
  virtual bool Play(const LoggedChoice& choice) = 0;

  /// The number of decisions of a learner that wait for their rewards.
  /// REQUIRES: the learner has been asked.
  virtual std::size_t Pending(const LearnerKey& learner) const = 0;

  /// Whether only some of the arms were eligible. What another policy would
  /// have chosen is not known then.
  bool IsRestricted(const LoggedChoice& choice) const;

  /// Throws Error unless the choice can be compared with one of this subject:
  /// its arm is there, with the features that it had then; all arms were
  /// eligible; and context and reward are such as are learned here.
  void Check(const LoggedChoice& choice) const;

 protected:
  /// What a check needs to know of it.
  struct Facts {
    const Catalogue& catalogue;
    std::size_t dim;
    bool negative_rewards;
    RewardModel rewards;
  };
  virtual Facts facts() const = 0;
};

/// At most one decision is pending at a time. Throws what the constructor of a
/// Bandit or Population throws.
std::unique_ptr<Subject> MakeSubject(const EvaluatedOptions& options);

/// Calls act(), and puts the line of the log before what it throws.
void AtLine(std::uint64_t line, const std::function<void()>& act);

/// How many of the choices are learned. Throws Error(kInvalidArgument) unless
/// the share is within [0, 1).
std::size_t LearnedOf(std::size_t choices, double learn_share);

}  // namespace manyarms

#endif  // MANYARMS_EVALUATION_SUBJECT_H_
