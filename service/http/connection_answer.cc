#include <memory>
#include <string>
#include <utility>

#include "service/http/connection.h"

// The part of a connection that answers.
namespace manyarms::http {
namespace {

// How long a client has to close its side after the answer. Whoever closes
// while there are bytes to read may destroy the answer on its way.
constexpr double kGoodbyeSeconds = 1;
constexpr std::size_t kDiscardedAtOnce = 4096;

}  // namespace

void Connection::Send(Response response) {
  if (loop_->OnThread() && running_) {
    return AnswerOnce(response);
  }
  loop_->Deliver(shared_from_this(), std::move(response));
}

void Connection::Receive(Response& response) {
  OrClose([&] { AnswerOnce(response); });
  Run();
}

void Connection::Drop() {
  try {
    if (loop_->OnThread() && running_) return Fail();
    loop_->Post([self = shared_from_this()] {
      if (self->state_ == State::kStreaming) return self->Close(true);
      self->OrClose([&] { self->Fail(); });
      self->Run();
    });
  } catch (...) {
    // The loop will see it. This is called where nothing may be thrown.
    lost_ = true;
  }
}

void Connection::Fail() {
  Response response = ToResponse(Failed());
  AnswerOnce(response);
}

void Connection::Begin(unsigned status, const std::string& content_type) {
  // The request stays the same until its answer is complete, so the thread of
  // the loop does not change what is read here.
  const bool nothing = head_only_ || IsBodiless(status);
  pieces_.Open(nothing   ? PieceQueue::Form::kNothing
               : http10_ ? PieceQueue::Form::kPlain
                         : PieceQueue::Form::kChunks);
  loop_->Post([self = shared_from_this(), status, content_type] {
    self->OrClose([&] { self->StartStream(status, content_type); });
  });
}

bool Connection::Piece(std::string piece) {
  // The loop's own thread would wait for itself.
  const PieceQueue::Added added = pieces_.Add(piece, !loop_->OnThread());
  TellWriter(added);
  return added.open;
}

void Connection::End() { TellWriter(pieces_.Finish()); }

void Connection::TellWriter(const PieceQueue::Added& added) {
  if (!added.first) return;
  loop_->Post([self = shared_from_this()] {
    if (self->state_ == State::kStreaming) self->Run();
  });
}

void Connection::StartStream(unsigned status, std::string content_type) {
  if (state_ != State::kAnswering) return;
  const Response response{.status = status,
                          .content_type = std::move(content_type)};
  if (!IsSafe(response)) {
    pieces_.Abandon();
    Answer(ToResponse(Failed()), Then::kClose);
    return Run();
  }
  const bool by_close = http10_ && !head_only_ && !IsBodiless(status);
  const bool keep = keep_ && !by_close && !loop_->finishing();
  out_.Reset();
  AppendHead(response,
             {.framing = by_close ? Framing::kClose : Framing::kChunks,
              .http10 = http10_,
              .keep = keep},
             out_.head());
  then_ = keep ? Then::kNext : Then::kClose;
  state_ = State::kStreaming;
  Run();
}

void Connection::AnswerOnce(Response& response) {
  if (state_ != State::kAnswering) return;
  Answer(std::move(response), Then::kNext);
}

void Connection::Refuse(const Refusal& refusal) {
  if (refusal.status != 501) loop_->counters().malformed.Add(1);
  Answer(ToResponse(refusal), Then::kClose);
}

void Connection::Answer(Response response, Then then) {
  if (!IsSafe(response)) response = ToResponse(Failed());
  if (!keep_ || loop_->finishing()) then = Then::kClose;
  deadline_.Clear();
  ForgetBody();
  out_.Reset();
  AppendHead(response, {.http10 = http10_, .keep = then != Then::kClose},
             out_.head());
  if (!head_only_ && !IsBodiless(response.status)) {
    if (response.body.size() > Outgoing::kCopied) {
      answer_memory_ = BodyMemory(setup_.body_budget);
      answer_memory_.TakeAnyway(response.body.size());
    }
    out_.SetBody(std::move(response.body));
  }
  then_ = then;
  state_ = State::kWriting;
}

void Connection::WriteContinue() {
  out_.Reset();
  out_.head() = kContinue;
  then_ = Then::kBody;
  state_ = State::kWriting;
}

bool Connection::Flush() {
  if (writing_) return false;
  if (!out_.done()) {
    Error error;
    const std::size_t bytes = TryWrite(out_.left(), error);
    if (error && error != boost::asio::error::would_block) {
      Close(true);
      return false;
    }
    out_.Advance(bytes);
    loop_->counters().bytes_out.Add(bytes);
  }
  if (out_.done()) {
    deadline_.Clear();
    return true;
  }
  if (!deadline_.running()) deadline_.Start(options().write_seconds);
  writing_ = true;
  StartWrite(out_.left());
  return false;
}

void Connection::Wrote(const Error& error, std::size_t bytes) {
  writing_ = false;
  if (state_ == State::kClosed) return;
  if (error) return Close(true);
  out_.Advance(bytes);
  loop_->counters().bytes_out.Add(bytes);
  deadline_.Progress(bytes);
  Run();
}

bool Connection::StepWrite() {
  if (!Flush()) return false;
  AfterWriting();
  return true;
}

bool Connection::StepStream() {
  if (!Flush()) return false;
  pieces_.Written();
  out_.Reset();
  if (!pieces_.Take(out_.head())) {
    AfterWriting();
    return true;
  }
  return !out_.done();
}

void Connection::AfterWriting() {
  out_.Reset();
  answer_memory_.GiveBack();
  switch (then_) {
    case Then::kNext:
      return NextRequest();
    case Then::kBody:
      state_ = State::kBody;
      return;
    case Then::kClose:
      return SayGoodbye();
  }
}

void Connection::SayGoodbye() {
  // A client that asked for the end has nothing more to say.
  client_ends_ = parser_ && parser_->is_done() && !parser_->keep_alive() &&
                 unread().empty();
  state_ = State::kGoodbye;
  deadline_.Start(kGoodbyeSeconds);
  input_.clear();
  StartGoodbye();
}

void Connection::SaidGoodbye() {
  if (state_ == State::kClosed) return;
  if (client_ends_ && !HasUnread()) return Close();
  if (reading_) return;
  reading_ = true;
  StartDiscard(input_.prepare(kDiscardedAtOnce));
}

}  // namespace manyarms::http
