#include "service/http/loop.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

namespace manyarms::http {

Loop::Loop(double look_seconds)
    : look_(Seconds(look_seconds)),
      guard_(context_.get_executor()),
      timer_(context_.get_executor()) {}

Loop::~Loop() {
  if (thread_.joinable()) End();
}

void Loop::Add(Watched& watched) {
  watched.Place() = watched_.size();
  watched_.push_back(&watched);
}

void Loop::Remove(Watched& watched) {
  watched_.back()->Place() = watched.Place();
  watched_[watched.Place()] = watched_.back();
  watched_.pop_back();
  connections_.fetch_sub(1, std::memory_order_relaxed);
}

void Loop::Deliver(std::shared_ptr<Watched> to, Response response) {
  const std::scoped_lock lock(gate_);
  if (ended_) return;
  deliveries_.push_back({std::move(to), std::move(response)});
  if (deliveries_.size() == 1) {
    boost::asio::post(context_, [this] { HandOut(); });
  }
}

void Loop::HandOut() {
  {
    const std::scoped_lock lock(gate_);
    handed_out_.swap(deliveries_);
  }
  for (Delivery& delivery : handed_out_)
    delivery.to->Receive(delivery.response);
  handed_out_.clear();
}

void Loop::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Loop::Run() {
  due_ = Clock::now();
  WaitToLook();
  for (;;) {
    try {
      context_.run();
      return;
    } catch (...) {
      // There was no memory for one connection's work. Others continue, and
      // the deadline closes this one.
    }
  }
}

void Loop::WaitToLook() {
  due_ += look_;
  timer_.expires_at(due_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Look();
  });
}

void Loop::Look() {
  // It was due when the timer was cancelled.
  if (ending_) return;
  const auto now = Clock::now();
  // While the thread was busy it read nothing, which is not the clients' fault.
  const auto late = now - due_;
  const auto lost = late > look_ ? late : Clock::duration{0};
  // Backwards, because a connection that closes leaves its place to the last.
  for (std::size_t i = watched_.size(); i-- > 0;) {
    watched_[i]->Look(now, lost);
  }
  due_ = now;
  WaitToLook();
}

void Loop::Finish() {
  Post([this] {
    finishing_ = true;
    for (std::size_t i = watched_.size(); i-- > 0;) watched_[i]->Finish();
  });
}

void Loop::End() {
  Post([this] {
    for (std::size_t i = watched_.size(); i-- > 0;) watched_[i]->Cut();
    ending_ = true;
    timer_.cancel();
    // What was posted before is still done; nothing can come after it.
    const std::scoped_lock lock(gate_);
    ended_ = true;
    guard_.reset();
  });
  if (thread_.joinable()) thread_.join();
}

}  // namespace manyarms::http
