#ifndef MANYARMS_SERVICE_HTTP_OUTGOING_H_
#define MANYARMS_SERVICE_HTTP_OUTGOING_H_

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <string>
#include <utility>

namespace manyarms::http {

/// What a connection has to write.
class Outgoing {
 public:
  /// Small bodies are copied behind the head: one buffer is written faster than
  /// two, and by TLS in one record.
  static constexpr std::size_t kCopied = 4096;

  std::string& head() { return head_; }

  /// Keeps memory for the next head, unless it is much.
  void Reset() {
    head_.clear();
    if (head_.capacity() > 4 * kCopied) std::string().swap(head_);
    std::string().swap(body_);
    written_ = 0;
  }
  void SetBody(std::string body) {
    if (body.size() <= kCopied) {
      head_ += body;
    } else {
      body_ = std::move(body);
    }
  }

  bool done() const { return written_ == head_.size() + body_.size(); }
  void Advance(std::size_t bytes) { written_ += bytes; }

  std::array<boost::asio::const_buffer, 2> left() const {
    const std::size_t of_head = std::min(written_, head_.size());
    const std::size_t of_body = written_ - of_head;
    return {boost::asio::const_buffer(head_.data() + of_head,
                                      head_.size() - of_head),
            boost::asio::const_buffer(body_.data() + of_body,
                                      body_.size() - of_body)};
  }

 private:
  std::string head_;
  std::string body_;
  std::size_t written_ = 0;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_OUTGOING_H_
