#include "service/http/loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>

#include "service/http/test_server.h"

namespace manyarms::http {
namespace {

using testing::Becomes;

constexpr double kLookSeconds = 0.005;

// Throws in whatever it is told to.
class Fragile final : public Watched {
 public:
  explicit Fragile(Loop& loop) : loop_(loop) {}

  void Look(Clock::time_point /*now*/, Clock::duration /*lost*/) override {
    ++looks;
    if (throws_in_look) throw std::bad_alloc();
  }
  void Finish() override {}
  void Cut() override {
    cut = true;
    loop_.Remove(*this);
  }
  void Receive(Response& response) override {
    if (throws_in_receive) throw std::bad_alloc();
    received = response.status;
  }
  std::size_t& Place() override { return place_; }

  std::atomic<bool> throws_in_look{false};
  std::atomic<bool> throws_in_receive{false};
  std::atomic<int> looks{0};
  std::atomic<unsigned> received{0};
  std::atomic<bool> cut{false};

 private:
  Loop& loop_;
  std::size_t place_ = 0;
};

class LoopTest : public ::testing::Test {
 protected:
  std::shared_ptr<Fragile> Add() {
    auto watched = std::make_shared<Fragile>(loop_);
    loop_.CountConnection();
    loop_.Post([this, watched] { loop_.Add(watched); });
    return watched;
  }

  Loop loop_{kLookSeconds};
};

TEST_F(LoopTest, LooksOnWhenOneLookFails) {
  loop_.Start();
  const auto first = Add();
  const auto failing = Add();
  const auto last = Add();
  ASSERT_TRUE(Becomes([&] { return last->looks > 0; }));
  failing->throws_in_look = true;
  ASSERT_TRUE(Becomes([&] { return failing->cut.load(); }));
  const int before_first = first->looks;
  const int before_last = last->looks;
  EXPECT_TRUE(Becomes([&] {
    return first->looks > before_first + 2 && last->looks > before_last + 2;
  }));
  EXPECT_FALSE(first->cut);
  EXPECT_FALSE(last->cut);
  EXPECT_EQ(loop_.connections(), 2);
}

TEST_F(LoopTest, HandsOutTheOthersWhenOneFails) {
  const auto failing = Add();
  const auto other = Add();
  failing->throws_in_receive = true;
  // All of them before the loop starts, so that they are handed out at once.
  loop_.Deliver(failing, {.status = 201});
  loop_.Deliver(other, {.status = 202});
  loop_.Start();
  EXPECT_TRUE(Becomes([&] { return other->received == 202; }));
  EXPECT_TRUE(failing->cut);
  loop_.Deliver(other, {.status = 203});
  EXPECT_TRUE(Becomes([&] { return other->received == 203; }));
}

TEST_F(LoopTest, KeepsWhatNobodyElseRefersTo) {
  std::weak_ptr<Fragile> added;
  {
    const auto watched = Add();
    added = watched;
    loop_.Start();
    ASSERT_TRUE(Becomes([&] { return watched->looks > 0; }));
  }
  EXPECT_FALSE(added.expired());
  loop_.End();
  EXPECT_TRUE(added.expired());
}

TEST_F(LoopTest, ChoreThatFailsIsTriedAgain) {
  std::atomic<int> tries{0};
  loop_.SetChore([&] {
    if (++tries < 3) throw std::bad_alloc();
  });
  loop_.Start();
  EXPECT_TRUE(Becomes([&] { return tries >= 4; }));
}

}  // namespace
}  // namespace manyarms::http
