#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "service/http/reply_target.h"
#include "service/http/server.h"

namespace manyarms::http {

Reply::Reply(std::shared_ptr<Target> target) : target_(std::move(target)) {}

Reply::~Reply() {
  if (target_) target_->Drop();
}

Reply::Reply(Reply&& other) noexcept
    : target_(std::move(other.target_)), begun_(other.begun_) {}

Reply& Reply::operator=(Reply&& other) noexcept {
  Reply former(std::move(*this));
  target_ = std::move(other.target_);
  begun_ = other.begun_;
  return *this;
}

void Reply::Send(Response response) {
  if (!target_ || begun_) throw std::logic_error("a request has one answer");
  target_->Send(std::move(response));
  target_ = nullptr;
}

void Reply::Begin(unsigned status, const std::string& content_type) {
  if (!target_ || begun_) throw std::logic_error("a request has one answer");
  begun_ = true;
  target_->Begin(status, content_type);
}

bool Reply::Piece(std::string piece) {
  if (!target_ || !begun_) throw std::logic_error("no answer has begun");
  return target_->Piece(std::move(piece));
}

void Reply::End() {
  if (!target_ || !begun_) throw std::logic_error("no answer has begun");
  target_->End();
  target_ = nullptr;
}

}  // namespace manyarms::http
