#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "service/http/answer_text.h"
#include "service/http/deadline.h"
#include "service/http/head_scan.h"
#include "service/http/piece_queue.h"
#include "service/http/refusal.h"

namespace manyarms::http {
namespace {

TEST(HeadScan, FindsTheSameEndHoweverItIsCut) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nA:\r\n\r\n";
  const std::string text = "\r\n" + head + "body\r\n\r\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    for (std::size_t again = cut; again <= text.size(); ++again) {
      HeadScan scan(1000);
      HeadScan::Found found = scan.Look(text.substr(0, cut));
      if (found == HeadScan::Found::kPart) {
        found = scan.Look(text.substr(0, again));
      }
      if (found == HeadScan::Found::kPart) {
        EXPECT_LT(again, 2 + head.size());
        found = scan.Look(text);
      }
      ASSERT_EQ(found, HeadScan::Found::kWhole);
      EXPECT_EQ(text.substr(scan.begin(), scan.end() - scan.begin()), head);
    }
  }
}

TEST(HeadScan, RefusesEachControlCharacter) {
  for (int c = 0; c < 256; ++c) {
    const bool control = (c < 32 && c != '\t') || c == 127;
    HeadScan scan(1000);
    const std::string head = std::string("GET / HTTP/1.1\r\nA: ") +
                             static_cast<char>(c) + "b\r\n\r\n";
    EXPECT_EQ(scan.Look(head) == HeadScan::Found::kFlaw, control) << c;
  }
}

TEST(HeadScan, StartsAnew) {
  HeadScan scan(40);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(scan.Look("\r\nGET / HTTP/1.1\r\n\r\n"), HeadScan::Found::kWhole);
    EXPECT_EQ(scan.begin(), 2);
    EXPECT_EQ(scan.end(), 20);
    scan.Restart();
  }
  EXPECT_EQ(scan.Look("GET / HTTP/1.1\r\nA: " + std::string(30, 'b')),
            HeadScan::Found::kFlaw);
  EXPECT_EQ(scan.refusal().status, 431);
}

TEST(AnswerText, HasNoHeadersThatDivideIt) {
  const auto safe = [](const std::string& name, const std::string& value) {
    return IsSafe({.headers = {{name, value}}});
  };
  EXPECT_TRUE(safe("X-A", "b c, \"d\"\te"));
  for (const std::string bad :
       {"\r", "\n", "\r\n", "\x7f", "\x01", "\xc3\xa4"}) {
    EXPECT_FALSE(safe("A", "b" + bad + "c"));
    EXPECT_FALSE(safe("A" + bad, "b"));
    EXPECT_FALSE(IsSafe({.content_type = "a" + bad}));
  }
  EXPECT_FALSE(safe("", "b"));
  EXPECT_FALSE(safe("A:", "b"));
  EXPECT_FALSE(safe("A B", "b"));
  EXPECT_FALSE(IsSafe({.status = 99}));
  EXPECT_FALSE(IsSafe({.status = 1000}));
}

TEST(AnswerText, WritesChunks) {
  std::string text = "before ";
  AppendChunk(std::string(26, 'x'), text);
  EXPECT_EQ(text, "before 1a\r\n" + std::string(26, 'x') + "\r\n");
}

TEST(AnswerText, RefusalsAreJson) {
  const Response response = ToResponse(BadRequest("a \"b\""));
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, R"({"error":{"status":400,"code":"bad_request",)"
                           R"("message":"a \"b\""}})");
}

TEST(Deadline, MovesWithEach64KiB) {
  Deadline deadline;
  EXPECT_FALSE(deadline.running());
  const auto start = Clock::now();
  deadline.StartAt(start - Seconds(9), 10);
  EXPECT_FALSE(deadline.Passed(start));
  EXPECT_TRUE(deadline.Passed(start + Seconds(2)));
  deadline.Progress(Deadline::kStep - 1);
  EXPECT_TRUE(deadline.Passed(start + Seconds(2)));
  deadline.Progress(1);
  EXPECT_FALSE(deadline.Passed(start + Seconds(2)));
  EXPECT_TRUE(deadline.Passed(Clock::now() + Seconds(11)));
  deadline.Forgive(Seconds(5));
  EXPECT_FALSE(deadline.Passed(Clock::now() + Seconds(11)));
  deadline.Clear();
  deadline.Forgive(Seconds(5));
  deadline.Progress(Deadline::kStep);
  EXPECT_FALSE(deadline.Passed(Clock::now() + Seconds(1e6)));
}

TEST(PieceQueue, HoldsOneThreadBackForTheOther) {
  PieceQueue queue;
  queue.Open(PieceQueue::Form::kPlain);
  constexpr int kPieces = 200;
  const std::string piece(20'000, 'x');
  std::thread maker([&] {
    for (int i = 0; i < kPieces; ++i) EXPECT_TRUE(queue.Add(piece, true).open);
    queue.Finish();
  });
  std::size_t bytes = 0;
  std::string text;
  while (queue.Take(text)) {
    EXPECT_LT(text.size(), PieceQueue::kMost + piece.size());
    bytes += text.size();
    text.clear();
    queue.Written();
  }
  maker.join();
  EXPECT_EQ(bytes, kPieces * piece.size());
}

TEST(PieceQueue, TellsTheWriterOnce) {
  PieceQueue queue;
  queue.Open(PieceQueue::Form::kChunks);
  EXPECT_TRUE(queue.Add("a", true).first);
  EXPECT_FALSE(queue.Add("b", true).first);
  std::string text;
  EXPECT_TRUE(queue.Take(text));
  EXPECT_EQ(text, "1\r\na\r\n1\r\nb\r\n");
  EXPECT_TRUE(queue.Finish().first);
  text.clear();
  EXPECT_TRUE(queue.Take(text));
  EXPECT_EQ(text, kLastChunk);
  text.clear();
  EXPECT_FALSE(queue.Take(text));
}

TEST(PieceQueue, LetsGoOfAMakerWhoseClientIsGone) {
  PieceQueue queue;
  queue.Open(PieceQueue::Form::kPlain);
  queue.Add(std::string(PieceQueue::kMost, 'x'), true);
  std::thread maker([&] { EXPECT_FALSE(queue.Add("y", true).open); });
  queue.Abandon();
  maker.join();
  queue.Open(PieceQueue::Form::kPlain);
  EXPECT_FALSE(queue.Add("y", true).open);
  EXPECT_FALSE(queue.Finish().open);
}

}  // namespace
}  // namespace manyarms::http
