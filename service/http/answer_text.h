#ifndef MANYARMS_SERVICE_HTTP_ANSWER_TEXT_H_
#define MANYARMS_SERVICE_HTTP_ANSWER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "service/http/server.h"

namespace manyarms::http {

/// How the client knows where a body ends.
enum class Framing : std::uint8_t { kLength, kChunks, kClose };

struct AnswerForm {
  Framing framing = Framing::kLength;
  bool http10 = false;  ///< the client's version
  bool keep = true;     ///< whether the connection stays open
};

/// Whether no text of the headers could end a line or a head.
bool IsSafe(const Response& response);

/// Appends the head of an answer. REQUIRES: it is safe.
void AppendHead(const Response& response, const AnswerForm& form,
                std::string& text);

/// Whether answers with this status never have a body.
bool IsBodiless(unsigned status);

void AppendChunk(std::string_view piece, std::string& text);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace manyarms::http

#endif  // MANYARMS_SERVICE_HTTP_ANSWER_TEXT_H_
