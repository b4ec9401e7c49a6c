#ifndef MANYARMS_SERVICE_LOAD_ARMS_UPLOAD_H_
#define MANYARMS_SERVICE_LOAD_ARMS_UPLOAD_H_

#include <cstdint>
#include <functional>
#include <string>

#include "service/load/client.h"
#include "service/load/world.h"

namespace manyarms::load {

/// Adds the first `count` arms of a world to a bandit by one request, as two
/// arrays of NumPy, without tags. `progress` gets the share that is sent.
/// Throws Error(kIo) with the service's reason if it refuses them.
void UploadArms(Client& client, const std::string& bandit, const World& world,
                std::uint64_t count, bool numbered,
                const std::function<void(double)>& progress = {});

}  // namespace manyarms::load

#endif  // MANYARMS_SERVICE_LOAD_ARMS_UPLOAD_H_
