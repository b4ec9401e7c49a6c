#include "service/http/listener.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/socket_base.hpp>
#include <future>
#include <memory>
#include <mutex>
#include <utility>

#include "manyarms/error.h"
#include "service/http/plain_connection.h"
#include "service/http/socket.h"
#include "service/http/tls_connection.h"

namespace manyarms::http {
namespace {

using boost::asio::ip::tcp;

// This number of connections beyond the limit are told that they are refused;
// others are closed without a word.
constexpr std::size_t kMostRefusedAtOnce = 64;

tcp::endpoint EndpointOf(const ServerOptions& options) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(
      options.address == "localhost" ? "127.0.0.1" : options.address, error);
  if (error) {
    throw Error(ErrorCode::kIo,
                fmt::format("address {}: {}", options.address,
                            "expected an IP address or localhost"));
  }
  return {address, options.port};
}

}  // namespace

Listener::Listener(const Setup& setup, std::vector<std::shared_ptr<Loop>> loops,
                   std::shared_ptr<TlsContext> context)
    : setup_(setup),
      loops_(std::move(loops)),
      acceptor_(loops_.front()->executor()),
      has_tls_(context != nullptr),
      context_(std::move(context)) {
  const ServerOptions& options = setup_.options;
  const tcp::endpoint endpoint = EndpointOf(options);
  try {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(boost::asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
  } catch (const boost::system::system_error& error) {
    throw Error(ErrorCode::kIo,
                fmt::format("cannot listen at {} port {}: {}", options.address,
                            options.port, error.code().message()));
  }
}

std::size_t Listener::connections() const {
  std::size_t sum = 0;
  for (const auto& loop : loops_) sum += loop->connections();
  return sum;
}

void Listener::SetContext(std::shared_ptr<TlsContext> context) {
  const std::scoped_lock lock(mutex_);
  context_ = std::move(context);
}

void Listener::Start() {
  // When there are no more descriptors, or no memory, it is tried again at
  // each look.
  loops_.front()->SetChore([this] { Accept(); });
  loops_.front()->Post([this] { Accept(); });
}

void Listener::Stop() {
  std::promise<void> done;
  const bool posted = loops_.front()->Post([&] {
    boost::system::error_code ignored;
    (void)acceptor_.close(ignored);
    done.set_value();
  });
  if (posted) done.get_future().wait();
}

void Listener::Accept() {
  if (!accepting_.expired() || !acceptor_.is_open()) return;
  next_loop_ = *std::ranges::min_element(
      loops_, {}, [](const auto& loop) { return loop->connections(); });
  next_.emplace(next_loop_->executor());
  // Ends with the operation, also if that fails before it calls.
  auto accepting = std::make_shared<char>();
  accepting_ = accepting;
  acceptor_.async_accept(
      *next_, [this, accepting = std::move(accepting)](
                  const boost::system::error_code& error) mutable {
        accepting.reset();
        // A client that is gone already is no reason to pause.
        if (error && error != boost::asio::error::connection_aborted) return;
        if (!error) TakeIfPossible();
        Accept();
      });
}

void Listener::TakeIfPossible() {
  try {
    Take();
  } catch (...) {
    // There was no memory for it, so it is closed. Others may come.
  }
}

void Listener::Take() {
  accepted_.Add(1);
  const std::size_t most = setup_.options.most_connections;
  const std::size_t now = connections();
  Socket socket = std::move(*next_);
  if (now >= most) {
    refused_.Add(1);
    // By TLS the refusal would cost a handshake.
    if (has_tls_ || now >= most + kMostRefusedAtOnce) return;
  }
  auto connection = Make(next_loop_, std::move(socket));
  next_loop_->CountConnection();
  try {
    next_loop_->Post(
        [connection = std::move(connection), refused = now >= most] {
          if (refused) {
            connection->StartRefused();
          } else {
            connection->Start();
          }
        });
  } catch (...) {
    next_loop_->UncountConnection();
    throw;
  }
}

std::shared_ptr<Connection> Listener::Make(const std::shared_ptr<Loop>& loop,
                                           Socket socket) {
  const std::scoped_lock lock(mutex_);
  if (!context_) {
    return std::make_shared<PlainConnection>(loop, setup_, std::move(socket));
  }
  return std::make_shared<TlsConnection>(loop, setup_, std::move(socket),
                                         context_);
}

}  // namespace manyarms::http
