#include "service/http/piece_queue.h"

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "service/http/answer_text.h"

namespace manyarms::http {

void PieceQueue::Open(Form form) {
  const std::scoped_lock lock(mutex_);
  pieces_.clear();
  taken_ = 0;
  form_ = form;
  finished_ = told_ = false;
}

PieceQueue::Added PieceQueue::Tell() {
  return {.open = true, .first = !std::exchange(told_, true)};
}

PieceQueue::Added PieceQueue::Add(std::string_view piece, bool may_wait) {
  std::unique_lock lock(mutex_);
  if (may_wait) {
    room_.wait(lock,
               [&] { return abandoned_ || pieces_.size() + taken_ < kMost; });
  }
  if (abandoned_) return {};
  // An empty chunk would end the answer.
  if (piece.empty() || form_ == Form::kNothing) return {.open = true};
  if (form_ == Form::kChunks) {
    AppendChunk(piece, pieces_);
  } else {
    pieces_ += piece;
  }
  return Tell();
}

PieceQueue::Added PieceQueue::Finish() {
  const std::scoped_lock lock(mutex_);
  if (abandoned_) return {};
  if (form_ == Form::kChunks) pieces_ += kLastChunk;
  finished_ = true;
  return Tell();
}

bool PieceQueue::Take(std::string& text) {
  const std::scoped_lock lock(mutex_);
  told_ = false;
  if (finished_ && pieces_.empty()) return false;
  std::swap(text, pieces_);
  taken_ = text.size();
  return true;
}

void PieceQueue::Written() {
  {
    const std::scoped_lock lock(mutex_);
    taken_ = 0;
  }
  room_.notify_one();
}

void PieceQueue::Abandon() {
  {
    const std::scoped_lock lock(mutex_);
    abandoned_ = true;
    pieces_.clear();
  }
  room_.notify_all();
}

}  // namespace manyarms::http
