#ifndef MANYARMS_SERVICE_HTTP_PIECE_QUEUE_H_
#define MANYARMS_SERVICE_HTTP_PIECE_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace manyarms::http {

/// Pieces of an answer between the thread that makes them and the one that
/// writes them. The first waits while the second has too much to write.
class PieceQueue {
 public:
  static constexpr std::size_t kMost = std::size_t{256} << 10;

  enum class Form : std::uint8_t { kChunks, kPlain, kNothing };

  /// For one answer.
  void Open(Form form);

  struct Added {
    bool open = false;   ///< the client is there
    bool first = false;  ///< the writer has to be told
  };
  /// Waits, if it may, until less than kMost bytes are to be written.
  Added Add(std::string_view piece, bool may_wait);
  /// After the last piece.
  Added Finish();

  /// Puts all pieces into `text`, which must be empty. Returns false if there
  /// are none and will be none.
  bool Take(std::string& text);
  /// What was taken has been written.
  void Written();
  /// The client is gone, for good.
  void Abandon();

 private:
  Added Tell();

  std::mutex mutex_;
  std::condition_variable room_;
  std::string pieces_;
  std::size_t taken_ = 0;  // bytes that are being written
  Form form_ = Form::kPlain;
  bool finished_ = false;
  bool abandoned_ = false;
  bool told_ = false;  // the writer was told and has not taken
};

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_PIECE_QUEUE_H_
