#ifndef MANYARMS_REPRODUCTION_JSON_H_
#define MANYARMS_REPRODUCTION_JSON_H_

#include <nlohmann/json.hpp>

namespace manyarms::reproduction {

/// This type sorts its keys, so equal settings have equal texts.
using Json = nlohmann::json;

}  // namespace manyarms::reproduction

#endif  // MANYARMS_REPRODUCTION_JSON_H_
