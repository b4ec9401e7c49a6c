#include "tests/service/hostile/hostile_requests.h"

#include <cstdio>
#include <string_view>

#include "tests/service/hostile/hostile_bodies.h"
#include "tests/service/hostile/numpy_bodies.h"
#include "tests/service/hostile/valid_requests.h"

namespace manyarms::hostile {
namespace {

using std::string_view_literals::operator""sv;

constexpr const char* kHost = "Host: 127.0.0.1\r\n";

std::string Line(const Request& request) {
  return request.method + " " + request.target + " HTTP/1.1\r\n";
}

std::string BodyFields(const Request& request) {
  if (request.content_type.empty()) return "";
  return "Content-Type: " + request.content_type +
         "\r\nContent-Length: " + std::to_string(request.body.size()) + "\r\n";
}

std::string Whole(const Request& request) {
  return Line(request) + kHost + BodyFields(request) + "\r\n" + request.body;
}

Script OneAnswer(std::string kind, const Request& request) {
  return {.kind = std::move(kind),
          .bytes = Whole(request),
          .ending = Script::Ending::kKeep,
          .is_head = request.method == "HEAD",
          .one_answer = true};
}

Request WithBody(Chance& chance) {
  Request request = ValidRequest(chance);
  while (request.content_type.empty()) request = ValidRequest(chance);
  return request;
}

Script WrongBody(Chance& chance) {
  Request request = WithBody(chance);
  if (request.content_type == "application/x-npy") {
    request.body = chance.OneIn(2) ? ForgedNumpy(chance.OneIn(2), chance)
                                   : MutatedBytes(request.body, chance);
    return OneAnswer("NumPy", request);
  }
  request.body = MutatedJson(std::move(request.body), chance);
  return OneAnswer("JSON", request);
}

Script WrongType(Chance& chance) {
  static constexpr const char* kTypes[] = {"text/plain",
                                           "application/jsonx",
                                           "application/json; charset=latin1",
                                           "application/x-npy",
                                           "application/x-ndjson",
                                           "",
                                           "APPLICATION/JSON",
                                           "application/json;charset=utf-8",
                                           "\xff",
                                           "multipart/form-data; boundary=x"};
  Request request = WithBody(chance);
  request.content_type = chance.Of(kTypes);
  if (request.content_type.empty()) request.content_type = " ";
  return OneAnswer("type", request);
}

Script WrongTarget(Chance& chance) {
  static constexpr const char* kTails[] = {"/%00",
                                           "/%zz",
                                           "/%",
                                           "/%f",
                                           "/%ff%fe",
                                           "/%c0%af",
                                           "/..",
                                           "/%2e%2e%2f%2e%2e",
                                           "/",
                                           "//",
                                           "?",
                                           "?limit=-1",
                                           "?limit=1e9",
                                           "?limit=99999999999999999999",
                                           "?from=x",
                                           "?from=18446744073709551615",
                                           "?mode=both",
                                           "?progress=maybe",
                                           "?a=1&a=2",
                                           "?%",
                                           "?limit=%00",
                                           "/arms/%22",
                                           "/\xc3\xa9",
                                           "#x",
                                           "/decisions/-1",
                                           "/decisions/18446744073709551616",
                                           "/decisions/0",
                                           "/learners/",
                                           "/arms/"};
  static constexpr const char* kMethods[] = {
      "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"};
  Request request = ValidRequest(chance);
  if (chance.OneIn(3)) request.method = chance.Of(kMethods);
  if (chance.OneIn(2)) request.target += chance.Of(kTails);
  if (chance.OneIn(8))
    request.target += "/" + std::string(chance.Below(9000), 'a');
  if (chance.OneIn(8)) {
    request.target =
        chance.OneIn(2) ? "*" : "http://127.0.0.1" + request.target;
  }
  Script script = OneAnswer("target", request);
  script.one_answer = false;
  script.ending = Script::Ending::kHalfClose;
  return script;
}

// Heads that two readers could divide differently, which must be refused.
Script Smuggling(Chance& chance) {
  static constexpr std::string_view kFields[] = {
      "Content-Length: 5\r\nContent-Length: 6\r\n",
      "Content-Length: 44\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 44\r\n",
      "Transfer-Encoding: xchunked\r\n",
      "Transfer-Encoding: chunked, identity\r\n",
      "Transfer-Encoding: identity\r\n",
      "Transfer-Encoding: gzip, chunked\r\n",
      "Transfer-Encoding : chunked\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
      "Transfer-Encoding:\013chunked\r\n",
      "Content-Length: +44\r\n",
      "Content-Length: -1\r\n",
      "Content-Length: 0x2c\r\n",
      "Content-Length: 4 4\r\n",
      "Content-Length: 44, 45\r\n",
      "Content-Length: 99999999999999999999\r\n",
      "Content-Length: \r\n",
      "Content-Length : 44\r\n",
      " Content-Length: 44\r\n",
      "X: a\r\n Content-Length: 44\r\n",
      "X: a\nContent-Length: 44\r\n",
      "X: a\rContent-Length: 44\r\n",
      "X: a\0b\r\n"sv,
      "Content-Length\r\n",
      ": 5\r\n",
      "X\x01: 5\r\n",
      "Host: other\r\n"};
  std::string bytes = "POST /v1/bandits/names/choose HTTP/1.1\r\n";
  bytes += kHost;
  bytes += "Content-Type: application/json\r\n";
  bytes += chance.Of(kFields);
  bytes += "\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  return {.kind = "smuggling", .bytes = bytes, .refused = true};
}

Script WrongLine(Chance& chance) {
  static constexpr const char* kLines[] = {
      "GET /healthz\r\n",
      "GET  /healthz HTTP/1.1\r\n",
      "GET /healthz HTTP/1.1 \r\n",
      "GET /healthz HTTP/2.0\r\n",
      "GET /healthz HTTP/0.9\r\n",
      "GET /healthz http/1.1\r\n",
      "get /healthz HTTP/1.1\r\n",
      "G\xc3\x89T /healthz HTTP/1.1\r\n",
      "GET healthz HTTP/1.1\r\n",
      "GET /health z HTTP/1.1\r\n",
      "GET\t/healthz\tHTTP/1.1\r\n",
      " GET /healthz HTTP/1.1\r\n",
      "CONNECT 127.0.0.1:80 HTTP/1.1\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n",
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
      "GET /healthz HTTP/1.1\n",
      "\r\n\r\n\r\n\r\n",
      "GET /healthz HTTP/1.11\r\n",
      "GET /healthz HTTP/11.1\r\n",
      "GET /\x7f HTTP/1.1\r\n"};
  return {.kind = "request line",
          .bytes = std::string(chance.Of(kLines)) + kHost + "\r\n"};
}

Script WrongFields(Chance& chance) {
  static constexpr const char* kFields[] = {
      "Expect: 100-continue\r\n",
      "Expect: x\r\n",
      "Connection: close\r\n",
      "Connection: upgrade\r\nUpgrade: websocket\r\n",
      "Connection: keep-alive, close\r\n",
      "Authorization: Bearer x\r\n",
      "Authorization: Basic eDp4\r\n",
      "Authorization: \r\n",
      "Accept-Encoding: gzip\r\n",
      "Range: bytes=0-\r\n",
      "If-None-Match: *\r\n",
      "Origin: http://evil.example\r\n",
      "X-Forwarded-For: 1.2.3.4\r\n"};
  const Request request = ValidRequest(chance);
  std::string bytes = Line(request);
  if (!chance.OneIn(20)) bytes += kHost;
  for (std::size_t i = chance.Below(4); i > 0; --i) bytes += chance.Of(kFields);
  if (chance.OneIn(30)) {
    for (std::size_t i = chance.Below(2000); i > 0; --i) bytes += "X: y\r\n";
  }
  if (chance.OneIn(30))
    bytes += "X: " + std::string(chance.Below(40'000), 'y') + "\r\n";
  bytes += BodyFields(request) + "\r\n" + request.body;
  return {
      .kind = "fields", .bytes = bytes, .is_head = request.method == "HEAD"};
}

Script Chunked(Chance& chance) {
  static constexpr const char* kBodies[] = {
      "0\r\n\r\n",
      "2\r\n{}\r\n0\r\n\r\n",
      "2;x=y\r\n{}\r\n0\r\n\r\n",
      "2\r\n{}0\r\n\r\n",
      "2\r\n{}\r\n0\r\nX: y\r\n\r\n",
      "FFFFFFFFFFFFFFFF\r\n{}\r\n",
      "FFFFFFFFFFFFFFFFF\r\n{}\r\n",
      "-2\r\n{}\r\n0\r\n\r\n",
      "0x2\r\n{}\r\n0\r\n\r\n",
      "2\n{}\n0\n\n",
      "\r\n\r\n",
      "g\r\n{}\r\n",
      "2\r\n{}\r\n",
      "7fffffff\r\n{}",
      "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
      "2 \r\n{}\r\n0\r\n\r\n",
      "00000000000000000000002\r\n{}\r\n0\r\n\r\n",
      "2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n"};
  std::string body = chance.Of(kBodies);
  if (chance.OneIn(10)) {
    body =
        "2;" + std::string(chance.Below(60'000), 'x') + "\r\n{}\r\n0\r\n\r\n";
  }
  if (chance.OneIn(10)) {
    const std::string piece(chance.Below(50'000) + 1, ' ');
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    body = size + piece + "\r\n0\r\n\r\n";
  }
  const Request request = WithBody(chance);
  return {.kind = "chunks",
          .bytes = Line(request) + kHost +
                   "Content-Type: " + request.content_type +
                   "\r\nTransfer-Encoding: chunked\r\n\r\n" + body};
}

Script Oversized(Chance& chance) {
  const Request request = WithBody(chance);
  static constexpr const char* kLengths[] = {
      "1048577", "20000000", "9223372036854775807", "18446744073709551615"};
  std::string bytes = Line(request) + kHost +
                      "Content-Type: " + request.content_type +
                      "\r\nContent-Length: ";
  bytes += chance.Of(kLengths);
  bytes += "\r\n\r\n" +
           std::string(chance.OneIn(20) ? 1'100'000 : chance.Below(1000), ' ');
  return {.kind = "oversized",
          .bytes = bytes,
          .ending = chance.OneIn(2) ? Script::Ending::kReset
                                    : Script::Ending::kHalfClose};
}

Script Pipelined(Chance& chance) {
  std::string bytes;
  for (std::size_t i = chance.Below(8) + 2; i > 0; --i) {
    Request request = ValidRequest(chance);
    if (request.method == "HEAD") request.method = "GET";
    std::string text = Whole(request);
    if (chance.OneIn(5)) text = MutatedBytes(std::move(text), chance);
    bytes += text;
  }
  return {.kind = "pipelined",
          .bytes = bytes,
          .ending = chance.OneIn(4) ? Script::Ending::kReset
                                    : Script::Ending::kHalfClose};
}

Script Truncated(Chance& chance) {
  const std::string text = Whole(ValidRequest(chance));
  return {.kind = "truncated",
          .bytes = text.substr(0, chance.Below(text.size())),
          .ending = chance.OneIn(2) ? Script::Ending::kReset
                                    : Script::Ending::kHalfClose};
}

Script Mutated(Chance& chance) {
  Script script{.kind = "bytes",
                .bytes = MutatedBytes(Whole(ValidRequest(chance)), chance)};
  if (script.bytes.starts_with("HEAD")) script.is_head = true;
  if (chance.OneIn(3)) {
    script.bytes.assign(chance.Below(300) + 1, '\0');
    for (char& c : script.bytes) c = chance.Byte();
    script.is_head = false;
    script.kind = "noise";
  }
  return script;
}

}  // namespace

Script HostileScript(Chance& chance) {
  const std::size_t kind = chance.Below(100);
  Script script;
  if (kind < 10) {
    script = OneAnswer("valid", ValidRequest(chance));
  } else if (kind < 50) {
    script = WrongBody(chance);
  } else if (kind < 60) {
    script = WrongTarget(chance);
  } else if (kind < 65) {
    script = Smuggling(chance);
  } else if (kind < 69) {
    script = WrongLine(chance);
  } else if (kind < 75) {
    script = WrongFields(chance);
  } else if (kind < 80) {
    script = Chunked(chance);
  } else if (kind < 83) {
    script = Oversized(chance);
  } else if (kind < 88) {
    script = Pipelined(chance);
  } else if (kind < 92) {
    script = Truncated(chance);
  } else if (kind < 95) {
    script = WrongType(chance);
  } else {
    script = Mutated(chance);
  }
  if (chance.OneIn(20)) script.pace = Script::Pace::kInPieces;
  return script;
}

Script SlowScript(Chance& chance) {
  Script script;
  if (chance.OneIn(2)) {
    script = {.kind = "slow sender",
              .bytes = Whole(WithBody(chance)),
              .pace = Script::Pace::kSlowly};
    script.bytes.insert(script.bytes.find("\r\n") + 2,
                        "X: " + std::string(5000, 'y') + "\r\n");
    return script;
  }
  script = {.kind = "slow reader", .pace = Script::Pace::kDeaf};
  for (int i = 0; i < 3000; ++i) {
    script.bytes += "GET /v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  }
  return script;
}

}  // namespace manyarms::hostile
