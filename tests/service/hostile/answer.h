#ifndef MANYARMS_TESTS_SERVICE_HOSTILE_ANSWER_H_
#define MANYARMS_TESTS_SERVICE_HOSTILE_ANSWER_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace manyarms::hostile {

/// An answer at the front of what a connection has received.
struct Answer {
  std::size_t bytes = 0;  ///< 0: it is not whole yet
  int status = 0;
  bool closes = false;  ///< the service says that it closes the connection
  std::string flaw;     ///< why this is no answer of the service, or empty
};

Answer ReadAnswer(std::string_view received, bool is_head);

}  // namespace manyarms::hostile

#endif  // MANYARMS_TESTS_SERVICE_HOSTILE_ANSWER_H_
