#include "service/api/arms_body.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "manyarms/error.h"
#include "service/api/npy_bytes.h"
#include "service/api/thrown.h"

namespace manyarms::service {
namespace {

using Make = std::unique_ptr<ArmsBody> (*)(const ArmsBodyOptions&);

struct Shape {
  std::size_t dim = 2;
  bool named = false;
  std::uint64_t most_arms = 100;
};

// What comes of a body in pieces of this size.
std::vector<ArmInfo> Arms(Make make, const std::string& body, Shape shape,
                          std::size_t piece) {
  std::vector<ArmInfo> arms;
  const auto taker = make({.dim = shape.dim,
                           .named = shape.named,
                           .most_arms = shape.most_arms,
                           .use = [&](ArmInfo&& arm) {
                             if (arm.features == std::vector<float>{13, 13}) {
                               throw Error(ErrorCode::kInvalidArgument, "13");
                             }
                             arms.push_back(std::move(arm));
                           }});
  for (std::size_t at = 0; at < body.size(); at += piece) {
    taker->Take(std::string_view(body).substr(at, piece));
  }
  taker->End();
  return arms;
}

Failure FailureOfBody(Make make, const std::string& body, Shape shape = {}) {
  const Failure whole =
      FailureIn([&] { Arms(make, body, shape, body.size() + 1); });
  const Failure bytes = FailureIn([&] { Arms(make, body, shape, 1); });
  EXPECT_EQ(whole.status, bytes.status) << whole.message << bytes.message;
  EXPECT_EQ(whole.message, bytes.message);
  return whole;
}

void ExpectSame(const std::vector<ArmInfo>& some,
                const std::vector<ArmInfo>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].arm, others[i].arm);
    EXPECT_EQ(some[i].features, others[i].features);
    EXPECT_EQ(some[i].tags, others[i].tags);
  }
}

std::string Numbers(const std::string& ids_type = "<u8") {
  return NpyBytes(ids_type, "(3,)",
                  BytesOf<std::uint64_t>({5, 6, 1ULL << 62})) +
         NpyBytes("<f4", "(3, 2)", BytesOf<float>({1, 2, 3, 4, 5, 6}));
}

std::vector<ArmInfo> ThreeArms() {
  return {{.arm = ArmId{5}, .features = {1, 2}},
          {.arm = ArmId{6}, .features = {3, 4}},
          {.arm = ArmId{1} << 62, .features = {5, 6}}};
}

TEST(NpyBody, IsReadInPiecesOfAnySize) {
  for (std::size_t piece = 1; piece <= Numbers().size(); ++piece) {
    ExpectSame(Arms(MakeNpyBody, Numbers(), {}, piece), ThreeArms());
  }
  ExpectSame(Arms(MakeNpyBody, Numbers("<i8"), {}, 7), ThreeArms());
}

TEST(NpyBody, CutAnywhereIsRefused) {
  const std::string body = Numbers();
  for (std::size_t length = 0; length < body.size(); ++length) {
    EXPECT_EQ(FailureOfBody(MakeNpyBody, body.substr(0, length)).status, 400U)
        << length;
  }
  EXPECT_EQ(FailureOfBody(MakeNpyBody, body + 'x').status, 400U);
}

TEST(NpyBody, HasIdsOfAllWholeNumbers) {
  const std::string rows =
      NpyBytes("<f8", "(2, 2)", BytesOf<double>({1, 2, 3, 4}));
  const auto ids = [&](const char* type, const std::string& values) {
    std::vector<ArmId> numbers;
    for (const ArmInfo& arm :
         Arms(MakeNpyBody, NpyBytes(type, "(2,)", values) + rows, {}, 5)) {
      numbers.push_back(std::get<ArmId>(arm.arm));
    }
    return numbers;
  };
  const std::vector<ArmId> expected{7, 120};
  EXPECT_EQ(ids("|u1", BytesOf<std::uint8_t>({7, 120})), expected);
  EXPECT_EQ(ids("|i1", BytesOf<std::int8_t>({7, 120})), expected);
  EXPECT_EQ(ids("<i2", BytesOf<std::int16_t>({7, 120})), expected);
  EXPECT_EQ(ids("<u4", BytesOf<std::uint32_t>({7, 120})), expected);
  EXPECT_EQ(ids("<i4", BytesOf<std::int32_t>({7, 120})), expected);
  const Failure negative = FailureOfBody(
      MakeNpyBody,
      NpyBytes("<i4", "(2,)", BytesOf<std::int32_t>({7, -1})) + rows);
  EXPECT_EQ(negative.status, 422U);
  EXPECT_EQ(negative.message, "row 1: the id is negative, must be at least 0");
}

TEST(NpyBody, HasNamesOfBothKindsOfText) {
  const std::string rows =
      NpyBytes("<f4", "(2, 2)", BytesOf<float>({1, 2, 3, 4}));
  const std::string unicode =
      NpyBytes("<U3", "(2,)",
               BytesOf<std::uint32_t>({'a', 0xe4, 0x1f600, 'b', 0, 0})) +
      rows;
  const std::string bytes =
      NpyBytes("|S3", "(2,)", std::string("a\xc3\xa4z\0\0", 6)) + rows;
  const std::vector<ArmInfo> arms =
      Arms(MakeNpyBody, unicode, {.named = true}, 3);
  EXPECT_EQ(arms[0].arm, ArmName("a\xc3\xa4\xf0\x9f\x98\x80"));
  EXPECT_EQ(arms[1].arm, ArmName("b"));
  const std::vector<ArmInfo> others =
      Arms(MakeNpyBody, bytes, {.named = true}, 3);
  EXPECT_EQ(others[0].arm, ArmName("aä"));
  EXPECT_EQ(others[1].arm, ArmName("z"));
  for (const std::uint32_t code : {0xd800U, 0xdfffU, 0x110000U, ~0U}) {
    EXPECT_EQ(
        FailureOfBody(MakeNpyBody,
                      NpyBytes("<U1", "(1,)", BytesOf<std::uint32_t>({code})),
                      {.named = true})
            .status,
        422U);
  }
  EXPECT_EQ(FailureOfBody(MakeNpyBody, NpyBytes("|S1", "(1,)", "\xff"),
                          {.named = true})
                .status,
            422U);
}

TEST(NpyBody, RefusesOtherTypesAndShapes) {
  const std::string ids = NpyBytes("<u8", "(1,)", BytesOf<std::uint64_t>({1}));
  const std::string row = BytesOf<float>({1, 2});
  for (const std::string& type :
       {std::string("<f4"), std::string(">u8"), std::string("<u3"),
        std::string("<c8"), std::string("|b1"), std::string("|O"),
        std::string("<M8[s]"), std::string("<U0"), std::string("<U5"),
        std::string("<U99999999999999999999"), std::string(""),
        std::string("<u-8")}) {
    EXPECT_EQ(FailureOfBody(MakeNpyBody, NpyBytes(type, "(1,)", "")).status,
              422U)
        << type;
  }
  EXPECT_EQ(FailureOfBody(MakeNpyBody, NpyBytes("<u8", "(1, 1)", "")).status,
            422U);
  EXPECT_EQ(FailureOfBody(MakeNpyBody, NpyBytes("<u8", "()", "")).status, 422U);
  for (const std::string& second :
       {NpyBytes("<f2", "(1, 2)", row), NpyBytes(">f4", "(1, 2)", row),
        NpyBytes("<i4", "(1, 2)", row), NpyBytes("<f4", "(2,)", row),
        NpyBytes("<f4", "(1, 3)", row), NpyBytes("<f4", "(2, 2)", row),
        NpyBytes("<f4", "(2, 1)", row), NpyBytes("<f4", "(1, 2)", row, true)}) {
    EXPECT_EQ(FailureOfBody(MakeNpyBody, ids + second).status, 422U) << second;
  }
}

TEST(NpyBody, RefusesWrongArmsByTheirRows) {
  const std::string body =
      NpyBytes("<u8", "(2,)", BytesOf<std::uint64_t>({5, 6})) +
      NpyBytes("<f4", "(2, 2)", BytesOf<float>({1, 2, 13, 13}));
  const Failure failure = FailureOfBody(MakeNpyBody, body);
  EXPECT_EQ(failure.status, 422U);
  EXPECT_EQ(failure.message, "row 1: 13");
}

TEST(NpyBody, RefusesTooManyBeforeTheyCome) {
  EXPECT_EQ(FailureOfBody(MakeNpyBody, NpyBytes("<u8", "(101,)", "")).status,
            429U);
  EXPECT_EQ(
      FailureOfBody(MakeNpyBody, NpyBytes("<u8", "(18446744073709551615,)", ""))
          .status,
      429U);
}

TEST(NpyBody, MayHaveNoArms) {
  const std::string body =
      NpyBytes("<u8", "(0,)", "") + NpyBytes("<f4", "(0, 2)", "");
  EXPECT_TRUE(Arms(MakeNpyBody, body, {}, 3).empty());
  EXPECT_EQ(FailureOfBody(MakeNpyBody, body + "x").status, 400U);
}

TEST(NpyBody, RefusesDamagedHeaders) {
  const std::string body = Numbers();
  for (std::size_t at = 0; at < 80; ++at) {
    for (const char c : {'\0', '\xff', '(', '9', '\''}) {
      std::string damaged = body;
      damaged[at] = c;
      if (damaged == body) continue;
      const unsigned status = FailureOfBody(MakeNpyBody, damaged).status;
      // Spaces of the header may change, and most changes are errors.
      EXPECT_TRUE(status == 0 || status == 400 || status == 422 ||
                  status == 429)
          << at << ' ' << status;
    }
  }
}

TEST(JsonLinesBody, IsReadInPiecesOfAnySize) {
  const std::string body =
      "{\"arm\":5,\"features\":[1,2]}\n\n{\"features\":[3,4],\"arm\":6}\r\n"
      "{\"arm\":4611686018427387904,\"features\":[5,6],\"tags\":[]}";
  for (std::size_t piece = 1; piece <= body.size(); ++piece) {
    ExpectSame(Arms(MakeJsonLinesBody, body, {}, piece), ThreeArms());
    ExpectSame(Arms(MakeJsonLinesBody, body + "\n", {}, piece), ThreeArms());
  }
  EXPECT_TRUE(Arms(MakeJsonLinesBody, "", {}, 1).empty());
}

TEST(JsonLinesBody, RefusesWrongArmsByTheirLines) {
  const std::string good = "{\"arm\":5,\"features\":[1,2]}\n";
  const auto failure = [&](const std::string& line) {
    return FailureOfBody(MakeJsonLinesBody, good + "\n" + line + "\n" + good);
  };
  EXPECT_EQ(failure("{\"arm\":6,\"features\":[13,13]}").message, "line 3: 13");
  EXPECT_EQ(failure("{\"arm\":6}").message, "line 3: features is missing");
  EXPECT_EQ(failure("{\"arm\":6}").status, 422U);
  EXPECT_EQ(failure("{\"arm\":6,").status, 400U);
  EXPECT_EQ(failure("\xff").status, 400U);
  EXPECT_EQ(failure("{\"arm\":6,\"features\":[1,2]} {}").status, 400U);
}

TEST(JsonLinesBody, RefusesTooManyArmsAndLongLines) {
  std::string body;
  for (int i = 0; i < 101; ++i) body += "{\"arm\":5,\"features\":[1,2]}\n";
  const Failure failure = FailureOfBody(MakeJsonLinesBody, body);
  EXPECT_EQ(failure.status, 429U);
  EXPECT_EQ(failure.message, "line 101: a bandit may have at most 100 arms");
  EXPECT_EQ(StatusIn([] {
              Arms(MakeJsonLinesBody, std::string(5 << 20, ' '), {}, 1 << 16);
            }),
            413U);
}

}  // namespace
}  // namespace manyarms::service
