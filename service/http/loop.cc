#include "service/http/loop.h"

#include <chrono>
#include <memory>
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

void Loop::Add(std::shared_ptr<Watched> watched) {
  watched->Place() = watched_.size();
  try {
    watched_.push_back(std::move(watched));
  } catch (...) {
    UncountConnection();
    throw;
  }
}

void Loop::Remove(Watched& watched) {
  const std::size_t place = watched.Place();
  watched_.back()->Place() = place;
  std::swap(watched_[place], watched_.back());
  watched_.pop_back();
  UncountConnection();
}

void Loop::Deliver(std::shared_ptr<Watched> to, Response response) {
  const std::scoped_lock lock(gate_);
  if (ended_) return;
  // First, because nobody would post for what is kept without it.
  if (deliveries_.empty()) {
    boost::asio::post(context_, [this] { HandOut(); });
  }
  deliveries_.push_back({std::move(to), std::move(response)});
}

void Loop::HandOut() {
  {
    const std::scoped_lock lock(gate_);
    handed_out_.swap(deliveries_);
  }
  for (Delivery& delivery : handed_out_) {
    OrCut(delivery.to, [&] { delivery.to->Receive(delivery.response); });
  }
  handed_out_.clear();
}

void Loop::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Loop::Run() {
  due_ = Clock::now();
  for (;;) {
    try {
      if (!waits_ && !ending_) WaitToLook();
      context_.run();
      return;
    } catch (...) {
      // There was no memory for one connection's work. Others continue, and
      // the deadline closes this one.
      if (!waits_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

void Loop::WaitToLook() {
  const Clock::time_point next = due_ + look_;
  timer_.expires_at(next);
  timer_.async_wait([this](const boost::system::error_code& error) {
    waits_ = false;
    if (!error) Look();
  });
  due_ = next;
  waits_ = true;
}

template <class Work>
void Loop::OrCut(const std::shared_ptr<Watched>& watched, Work work) {
  try {
    work();
  } catch (...) {
    watched->Cut();
  }
}

void Loop::Look() {
  // It was due when the timer was cancelled.
  if (ending_) return;
  const auto now = Clock::now();
  // While the thread was busy it read nothing, which is not the clients' fault.
  const auto late = now - due_;
  const auto lost = late > look_ ? late : Clock::duration{0};
  // First, so that whatever fails now is looked at again.
  due_ = now;
  WaitToLook();
  // Backwards, because a connection that closes leaves its place to the last.
  for (std::size_t i = watched_.size(); i-- > 0;) {
    const std::shared_ptr<Watched> watched = watched_[i];
    OrCut(watched, [&] { watched->Look(now, lost); });
  }
  if (chore_) chore_();
}

void Loop::Finish() {
  Post([this] {
    finishing_ = true;
    for (std::size_t i = watched_.size(); i-- > 0;) {
      const std::shared_ptr<Watched> watched = watched_[i];
      watched->Finish();
    }
  });
}

void Loop::End() {
  Post([this] {
    for (std::size_t i = watched_.size(); i-- > 0;) {
      const std::shared_ptr<Watched> watched = watched_[i];
      watched->Cut();
    }
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
