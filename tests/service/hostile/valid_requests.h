#ifndef MANYARMS_TESTS_SERVICE_HOSTILE_VALID_REQUESTS_H_
#define MANYARMS_TESTS_SERVICE_HOSTILE_VALID_REQUESTS_H_

#include <string>

#include "tests/service/hostile/chance.h"

namespace manyarms::hostile {

struct Request {
  std::string method;
  std::string target;
  std::string content_type;  ///< empty if there is no body
  std::string body;
};

/// A request of a random route, as a well-meaning client would send it to the
/// bandits that hostile_test.py makes: names/2 features, numbers/3 features
/// with a context of 2.
Request ValidRequest(Chance& chance);

}  // namespace manyarms::hostile

#endif  // MANYARMS_TESTS_SERVICE_HOSTILE_VALID_REQUESTS_H_
