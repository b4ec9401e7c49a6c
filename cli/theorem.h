#ifndef MANYARMS_CLI_THEOREM_H_
#define MANYARMS_CLI_THEOREM_H_

#include <string>

#include "manyarms/research/experiment.h"

namespace manyarms::cli {

/// What a theorem of the paper promises about a run's regret; empty if the
/// assumptions of the policy's theorem are not met.
std::string TheoremLine(const RunSpec& spec);

}  // namespace manyarms::cli

#endif  // MANYARMS_CLI_THEOREM_H_
