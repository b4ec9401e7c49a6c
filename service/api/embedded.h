#ifndef MANYARMS_SERVICE_API_EMBEDDED_H_
#define MANYARMS_SERVICE_API_EMBEDDED_H_

#include <string>
#include <string_view>

namespace manyarms::service {

/// service/page/index.html and service/api/openapi.json.
std::string_view PageText();
std::string_view OpenApiText();

/// A Content-Security-Policy that lets the page run its own scripts and styles,
/// which it names by their SHA-256, and nothing else, and connect to this
/// service alone.
std::string PolicyOf(std::string_view page);

}  // namespace manyarms::service

#endif  // MANYARMS_SERVICE_API_EMBEDDED_H_
