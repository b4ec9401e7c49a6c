#ifndef MANYARMS_SERVICE_LOAD_SERVICE_CALLS_H_
#define MANYARMS_SERVICE_LOAD_SERVICE_CALLS_H_

#include <initializer_list>
#include <string>

#include "service/load/client.h"

namespace manyarms::load {

/// The path of a bandit: /v1/bandits/NAME.
std::string BanditPath(const std::string& bandit);

/// Throws Error(kIo) with the service's own words if an answer has none of
/// these statuses. `what` says what was tried.
void Expect(const Answer& answer, std::initializer_list<unsigned> statuses,
            const std::string& what);

/// The message of an answer's error, or the beginning of its body.
std::string ReasonOf(const Answer& answer);

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_SERVICE_CALLS_H_
