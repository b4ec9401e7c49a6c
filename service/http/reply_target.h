#ifndef MANYARMS_SERVICE_HTTP_REPLY_TARGET_H_
#define MANYARMS_SERVICE_HTTP_REPLY_TARGET_H_

#include <string>

#include "service/http/server.h"

namespace manyarms::http {

/// Gets the answer of one request. All methods may be called on any thread.
class Reply::Target {
 public:
  virtual ~Target() = default;
  virtual void Send(Response response) = 0;
  virtual void Begin(unsigned status, const std::string& content_type) = 0;
  virtual bool Piece(std::string piece) = 0;
  virtual void End() = 0;
  /// There will be no answer, or no more of one that has begun.
  virtual void Drop() = 0;  ///< throws nothing
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_REPLY_TARGET_H_
