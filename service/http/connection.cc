#include "service/http/connection.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace manyarms::http {
namespace {

constexpr std::size_t kFirstRead = 4096;
constexpr std::size_t kMostRead = std::size_t{64} << 10;
// A refused body of at most this many bytes is read and thrown away, so that
// the connection can be kept.
constexpr std::uint64_t kMostDiscarded = std::uint64_t{64} << 10;

}  // namespace

Connection::Connection(std::shared_ptr<Loop> loop, const Setup& setup)
    : loop_(std::move(loop)),
      setup_(setup),
      read_size_(kFirstRead),
      scan_(setup.options.most_head) {}

void Connection::Start() {
  loop_->Add(shared_from_this());
  if (loop_->finishing() && !HasUnread()) return Close();
  deadline_.Start(options().head_seconds);
  OrClose([this] { StartHandshake(); });
}

void Connection::StartRefused() {
  loop_->Add(shared_from_this());
  OrClose([this] {
    Answer(ToResponse(TooManyConnections(options().most_connections)),
           Then::kClose);
  });
  Run();
}

void Connection::Shaken(const Error& error) {
  if (state_ == State::kClosed) return;
  if (error) return Close();
  state_ = State::kHead;
  Run();
}

std::string_view Connection::unread() const {
  const auto data = input_.data();
  return {static_cast<const char*>(data.data()), data.size()};
}

void Connection::Run() {
  if (running_) return;
  running_ = true;
  OrClose([this] {
    while (Step()) {
    }
  });
  running_ = false;
}

bool Connection::Step() {
  switch (state_) {
    case State::kHead:
      return StepHead();
    case State::kBody:
      return StepBody();
    case State::kWriting:
      return StepWrite();
    case State::kStreaming:
      return StepStream();
    default:
      return false;
  }
}

void Connection::ReadMore() {
  if (reading_) return;
  reading_ = true;
  StartRead(input_.prepare(read_size_));
}

void Connection::Read(const Error& error, std::size_t bytes) {
  reading_ = false;
  if (state_ == State::kClosed) return;
  loop_->counters().bytes_in.Add(bytes);
  if (state_ == State::kGoodbye) {
    if (error) return Close();
    return SaidGoodbye();
  }
  // A client that was too slow may send more while it gets to know.
  if (state_ != State::kHead && state_ != State::kBody) return;
  if (error) return Close();
  input_.commit(bytes);
  if (bytes == read_size_) read_size_ = std::min(4 * read_size_, kMostRead);
  if (state_ == State::kBody) deadline_.Progress(bytes);
  Run();
}

void Connection::NextRequest() {
  state_ = State::kHead;
  scan_.Restart();
  head_begun_ = false;
  parser_.reset();
  sink_.reset();
  early_.reset();
  discard_body_ = http10_ = head_only_ = keep_ = false;
  if (read_size_ > kFirstRead) {
    read_size_ = kFirstRead;
    input_.shrink_to_fit();
  }
  if (loop_->finishing() && unread().empty() && !HasUnread()) return Close();
  deadline_.Start(options().idle_seconds);
}

bool Connection::StepHead() {
  const std::string_view text = unread();
  switch (scan_.Look(text)) {
    case HeadScan::Found::kPart:
      if (!head_begun_ && !text.empty()) {
        head_begun_ = true;
        deadline_.Start(options().head_seconds);
      }
      ReadMore();
      return false;
    case HeadScan::Found::kFlaw:
      Refuse(scan_.refusal());
      return true;
    case HeadScan::Found::kWhole:
      break;
  }
  deadline_.Clear();
  BeginRequest(text.substr(scan_.begin(), scan_.end() - scan_.begin()));
  return true;
}

void Connection::BeginRequest(std::string_view head) {
  parser_.emplace(*this);
  const std::optional<Refusal> refusal = parser_->ReadHead(head);
  input_.consume(scan_.end());
  http10_ = parser_->http10();
  head_only_ = parser_->head().method == Method::kHead;
  if (refusal) return Refuse(*refusal);
  keep_ = parser_->keep_alive();
  TakeAdmission();
}

std::variant<Admission, Response> Connection::CallAdmit() {
  try {
    return setup_.admit(parser_->head());
  } catch (...) {
    return ToResponse(Failed());
  }
}

void Connection::TakeAdmission() {
  std::variant<Admission, Response> admitted = CallAdmit();
  if (auto* response = std::get_if<Response>(&admitted)) {
    return AnswerEarly(std::move(*response));
  }
  auto& admission = std::get<Admission>(admitted);
  const Head& head = parser_->head();
  if (head.content_length > admission.most_body) {
    loop_->counters().malformed.Add(1);
    return AnswerEarly(
        ToResponse(BodyTooLarge(head.content_length, admission.most_body)));
  }
  if (!admission.always && setup_.body_budget->exhausted()) {
    return AnswerEarly(ToResponse(TooManyBodies(options().most_body_bytes)));
  }
  sink_ = std::move(admission.sink);
  if (!sink_) body_memory_ = BodyMemory(setup_.body_budget);
  if (parser_->is_done()) return Dispatch();
  if (parser_->chunked()) parser_->LimitBody(admission.most_body);
  state_ = State::kBody;
  if (parser_->expects_continue() && !http10_ && unread().empty()) {
    WriteContinue();
  }
}

bool Connection::StepBody() {
  std::string_view text = unread();
  const std::size_t before = text.size();
  const RequestParser::Body found = parser_->ReadBody(text);
  input_.consume(before - text.size());
  switch (found) {
    case RequestParser::Body::kPart:
      if (!deadline_.running()) deadline_.Start(options().body_seconds);
      ReadMore();
      return false;
    case RequestParser::Body::kWhole:
      deadline_.Clear();
      if (discard_body_) {
        NextRequest();
      } else {
        Dispatch();
      }
      return true;
    case RequestParser::Body::kStopped:
      AnswerEarly(std::move(*early_));
      return true;
    case RequestParser::Body::kFlaw:
      break;
  }
  Refuse(parser_->refusal());
  return true;
}

bool Connection::TakeBody(std::string_view piece) {
  if (discard_body_) return true;
  if (!sink_) return KeepBody(piece);
  try {
    const std::unique_ptr<Response> response = sink_->Take(piece);
    if (!response) return true;
    early_ = std::move(*response);
  } catch (...) {
    early_ = ToResponse(Failed());
  }
  return false;
}

bool Connection::KeepBody(std::string_view piece) {
  if (!body_memory_.Take(piece.size())) {
    early_ = ToResponse(TooManyBodies(options().most_body_bytes));
    return false;
  }
  const std::size_t size = body_.size() + piece.size();
  if (size > body_.capacity()) {
    // Grows with what has come, not with what was announced.
    const std::uint64_t all = parser_->head().content_length;
    const std::size_t twice = std::max(size, 2 * body_.capacity());
    body_.reserve(all == 0 ? twice : std::min<std::uint64_t>(all, twice));
  }
  body_ += piece;
  return true;
}

void Connection::ForgetBody() {
  std::string().swap(body_);
  body_memory_.GiveBack();
}

void Connection::AnswerEarly(Response response) {
  if (parser_->is_done()) return Answer(std::move(response), Then::kNext);
  // A client that waits for leave to send may send its next request instead.
  const bool waits = parser_->expects_continue() && state_ == State::kHead;
  if (parser_->chunked() || waits || parser_->body_left() > kMostDiscarded) {
    return Answer(std::move(response), Then::kClose);
  }
  discard_body_ = true;
  Answer(std::move(response),
         parser_->body_left() == 0 ? Then::kNext : Then::kBody);
}

void Connection::Dispatch() {
  state_ = State::kAnswering;
  Request request{.head = std::move(parser_->head()),
                  .body = std::exchange(body_, {}),
                  .sink = std::move(sink_),
                  .memory = std::move(body_memory_)};
  Reply reply(shared_from_this());
  try {
    setup_.handler(std::move(request), std::move(reply));
  } catch (...) {
    // A reply that nobody has any more was answered by 500 on its way out.
  }
}

void Connection::Look(Clock::time_point now, Clock::duration lost) {
  if (lost_) return Close(true);
  deadline_.Forgive(lost);
  if (!deadline_.Passed(now)) return;
  deadline_.Clear();
  TimeOut();
  Run();
}

void Connection::TimeOut() {
  const bool idle = state_ == State::kHead && !head_begun_;
  if (state_ == State::kGoodbye || idle) return Close();
  loop_->counters().timed_out.Add(1);
  if (state_ == State::kHead) {
    return Answer(ToResponse(TooSlow("the head", options().head_seconds)),
                  Then::kClose);
  }
  if (state_ == State::kBody && !discard_body_) {
    return Answer(ToResponse(TooSlow("64 KiB of the body, or less,",
                                     options().body_seconds)),
                  Then::kClose);
  }
  Close(true);
}

void Connection::Finish() {
  const bool waits = state_ == State::kHead || state_ == State::kHandshake;
  if (waits && unread().empty() && !HasUnread()) Close();
}

void Connection::Cut() { Close(true); }

void Connection::Close(bool reset) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  deadline_.Clear();
  pieces_.Abandon();
  ForgetBody();
  answer_memory_.GiveBack();
  CloseSocket(reset);
  loop_->Remove(*this);
}

}  // namespace manyarms::http
