#ifndef MANYARMS_POLICY_OPTIONS_H_
#define MANYARMS_POLICY_OPTIONS_H_

#include <string_view>
#include <variant>

#include "manyarms/policy/elimination.h"
#include "manyarms/policy/gloc_ts.h"
#include "manyarms/policy/qgloc.h"
#include "manyarms/policy/thompson.h"
#include "manyarms/policy/ucb.h"

namespace manyarms {

/// Every policy that there is, as SearchOptions has every search.
using PolicyOptions = std::variant<ThompsonOptions, EliminationOptions,
                                   UcbOptions, GlocTsOptions, QglocOptions>;

std::string_view PolicyName(const PolicyOptions& options);

}  // namespace manyarms

#endif  // MANYARMS_POLICY_OPTIONS_H_
