#ifndef MANYARMS_SERVICE_HTTP_OPEN_FILES_H_
#define MANYARMS_SERVICE_HTTP_OPEN_FILES_H_

#include <cstddef>
#include <cstdint>

#include "service/http/server.h"

namespace manyarms::http {

/// Lets this process open as many files as it may be allowed to, and returns
/// how many these are. Connections are files, too.
std::uint64_t RaiseOpenFiles();

/// The most connections of `options`, or fewer if the process may open only so
/// many files: some are kept for the store and the threads, and for telling
/// clients that there are too many.
std::size_t ConnectionsThatFit(const ServerOptions& options,
                               std::uint64_t files);

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_OPEN_FILES_H_
