#ifndef MANYARMS_PYTHON_ARM_NAMES_H_
#define MANYARMS_PYTHON_ARM_NAMES_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "decision.h"
#include "eligible.h"
#include "id_range.h"
#include "ids.h"
#include "manyarms/bandit.h"
#include "manyarms/names.h"

namespace manyarms::python {

/// Converts between the ids of arms in Python, which may be texts, and the
/// library's numbers. Whoever owns it has a lock for it, and passes the number
/// of arms that there are: arms decide of which kind ids are.
class ArmNames {
 public:
  /// For loading and saving.
  Names& names() { return names_; }
  const Names& names() const { return names_; }

  /// Throws TypeError for an id of the other kind than the arms have, and
  /// Error(kUnknownId).
  ArmId NumberOf(const PyArm& arm, std::size_t arms) const;
  Numbers NumbersOf(const PyIds& ids, std::size_t arms) const;
  /// The same, each id once. Throws Error(kDuplicateId).
  Numbers DistinctNumbersOf(const PyIds& ids, std::size_t arms) const;

  /// The numbers that new arms get. Throws Error(kDuplicateId) for texts that
  /// are in use or occur twice; the library compares numbers.
  Numbers NewNumbers(const PyIds& ids, std::size_t arms) const;
  /// To be called after the library has added or removed the arms, or after it
  /// has loaded these, and names() with them.
  void Added(const PyIds& ids);
  void Removed(const Numbers& numbers);
  void Loaded(const Numbers& numbers) { numbers_.Assign(numbers); }

  /// The result refers to `numbers`. A range of all arms is the same as all
  /// arms.
  Eligible EligibleFrom(const PyEligible& eligible, std::size_t arms,
                        Numbers& numbers) const;

  PyDecision Named(const Decision& decision) const;
  std::vector<PyDecision> Named(const std::vector<Decision>& decisions) const;
  PyIds Named(std::vector<ArmId> ids) const;

  /// Whether the decision has the name that its arm has here, or had.
  bool Agrees(const PyDecision& decision) const;

  bool has_texts() const { return names_.given() > 0; }

 private:
  void CheckKind(bool texts, std::size_t arms) const;

  Names names_;     // of the arms, if they have any
  AllIds numbers_;  // of all arms
};

}  // namespace manyarms::python

#endif  // MANYARMS_PYTHON_ARM_NAMES_H_
