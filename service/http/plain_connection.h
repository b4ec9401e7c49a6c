#ifndef MANYARMS_SERVICE_HTTP_PLAIN_CONNECTION_H_
#define MANYARMS_SERVICE_HTTP_PLAIN_CONNECTION_H_

#include <memory>

#include "service/http/connection.h"

namespace manyarms::http {

/// A connection by TCP alone.
class PlainConnection final : public Connection {
 public:
  PlainConnection(std::shared_ptr<Loop> loop, const Setup& setup,
                  Socket socket);

 protected:
  void StartHandshake() override;
  void StartRead(boost::asio::mutable_buffer buffer) override;
  void StartWrite(const Buffers& buffers) override;
  void StartGoodbye() override;
  void StartDiscard(boost::asio::mutable_buffer buffer) override;
  std::size_t TryWrite(const Buffers& buffers, Error& error) override;
  bool HasUnread() override;
  void CloseSocket(bool reset) override;

 private:
  std::shared_ptr<PlainConnection> self() {
    return std::static_pointer_cast<PlainConnection>(shared_from_this());
  }

  Socket socket_;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_PLAIN_CONNECTION_H_
