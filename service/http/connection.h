#ifndef MANYARMS_SERVICE_HTTP_CONNECTION_H_
#define MANYARMS_SERVICE_HTTP_CONNECTION_H_

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "service/http/answer_text.h"
#include "service/http/deadline.h"
#include "service/http/head_scan.h"
#include "service/http/loop.h"
#include "service/http/outgoing.h"
#include "service/http/piece_queue.h"
#include "service/http/refusal.h"
#include "service/http/reply_target.h"
#include "service/http/request_parser.h"
#include "service/http/server.h"

namespace manyarms::http {

/// What all connections of a server have in common.
struct Setup {
  ServerOptions options;
  Admit admit;
  Handler handler;
  std::shared_ptr<BodyBudget> body_budget;  // requests may outlive the server
};

/// A connection: reads a request, has it answered, writes the answer, and only
/// then reads the next. All of it happens on the thread of one loop, but for
/// the methods of Reply::Target. Derived classes transport bytes.
///
/// Its loop keeps it until it is closed.
class Connection : public Reply::Target,
                   public std::enable_shared_from_this<Connection>,
                   public Watched,
                   public BodyTaker {
 public:
  Connection(std::shared_ptr<Loop> loop, const Setup& setup);

  /// On the loop's thread.
  void Start();
  /// Answers 503 whatever is asked, and closes.
  void StartRefused();

  void Send(Response response) override;
  void Begin(unsigned status, const std::string& content_type) override;
  bool Piece(std::string piece) override;
  void End() override;
  void Drop() override;

  void Look(Clock::time_point now, Clock::duration lost) override;
  void Finish() override;
  void Cut() override;
  void Receive(Response& response) override;
  std::size_t& Place() override { return place_; }

  bool TakeBody(std::string_view piece) override;

 protected:
  using Error = boost::system::error_code;
  using Buffers = std::array<boost::asio::const_buffer, 2>;

  // What derived classes do. Each Start... is followed later by the method that
  // its comment names.
  virtual void StartHandshake() = 0;                               // Shaken
  virtual void StartRead(boost::asio::mutable_buffer buffer) = 0;  // Read
  virtual void StartWrite(const Buffers& buffers) = 0;             // Wrote
  /// Tells the client that nothing more comes.
  virtual void StartGoodbye() = 0;  // SaidGoodbye
  /// Reads bytes that nobody wants.
  virtual void StartDiscard(boost::asio::mutable_buffer buffer) = 0;  // Read
  /// Writes what can be written without waiting.
  virtual std::size_t TryWrite(const Buffers& buffers, Error& error) = 0;
  /// Whether bytes have arrived that were not read.
  virtual bool HasUnread() = 0;
  /// Closes at once; if `reset`, so that the client sees an error.
  virtual void CloseSocket(bool reset) = 0;

  void Shaken(const Error& error);
  void Read(const Error& error, std::size_t bytes);
  void Wrote(const Error& error, std::size_t bytes);
  void SaidGoodbye();

  Loop& loop() { return *loop_; }

 private:
  enum class State : std::uint8_t {
    kHandshake,
    kHead,
    kBody,
    kAnswering,  // the handler has the request
    kWriting,
    kStreaming,  // writes pieces of an answer, or waits for them
    kGoodbye,    // waits until the client closes, too
    kClosed,
  };
  enum class Then : std::uint8_t { kNext, kBody, kClose };

  const ServerOptions& options() const { return setup_.options; }
  std::string_view unread() const;
  // Closes if the work throws, which it does without memory.
  template <class Work>
  void OrClose(Work work) {
    try {
      work();
    } catch (...) {
      Close(true);
    }
  }
  // Goes as far as it can without waiting.
  void Run();
  bool Step();
  bool StepHead();
  bool StepBody();
  bool StepWrite();
  bool StepStream();
  // Writes; returns whether everything is written.
  bool Flush();
  void ReadMore();
  void NextRequest();
  void BeginRequest(std::string_view head);
  void TakeAdmission();
  std::variant<Admission, Response> CallAdmit();
  bool KeepBody(std::string_view piece);
  void ForgetBody();
  void Dispatch();
  void Refuse(const Refusal& refusal);
  void AnswerEarly(Response response);
  void Answer(Response response, Then then);
  // If the request has no answer yet.
  void AnswerOnce(Response& response);
  void Fail();
  void StartStream(unsigned status, std::string content_type);
  void WriteContinue();
  void AfterWriting();
  void TimeOut();
  void SayGoodbye();
  void Close(bool reset = false);
  void TellWriter(const PieceQueue::Added& added);

  const std::shared_ptr<Loop> loop_;
  const Setup& setup_;
  std::size_t place_ = 0;
  State state_ = State::kHandshake;
  Then then_ = Then::kNext;
  Deadline deadline_;
  bool running_ = false;
  bool reading_ = false;
  bool writing_ = false;
  std::atomic<bool> lost_{false};  // there was no memory to tell of an answer

  boost::beast::flat_buffer input_;
  std::size_t read_size_;
  HeadScan scan_;
  bool head_begun_ = false;

  // Of the present request.
  std::optional<RequestParser> parser_;
  std::string body_;
  BodyMemory body_memory_;
  BodyMemory answer_memory_;  // until it is written
  std::unique_ptr<BodySink> sink_;
  std::optional<Response> early_;  // what the sink answered
  bool discard_body_ = false;
  bool http10_ = false;
  bool head_only_ = false;
  bool keep_ = false;
  bool client_ends_ = false;

  Outgoing out_;
  PieceQueue pieces_;
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_CONNECTION_H_
