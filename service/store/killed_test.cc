// A process that writes is killed at random moments. What it said is durable
// has to be there.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "both_databases.h"
#include "service/store/numbered_changes.h"
#include "service/store/store.h"

namespace manyarms::service {
namespace {

// How often it is killed; more often by hand.
int Kills() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other threads run.
  const char* kills = std::getenv("MANYARMS_KILLS");
  return kills == nullptr ? 8 : std::stoi(kills);
}

// Writes changes until it is killed, and the numbers of those that are durable
// to the file. It keeps a thousand of them waiting at most.
[[noreturn]] void Write(const std::string& place, int acknowledged) {
  Store store({.place = place, .most_waiting = 1000});
  for (Sequence next = store.last_appended() + 1;; next = NumberAfter(next)) {
    store.Append(NumberedChange(next));
    const Sequence last = store.last_appended();
    store.WhenDurable(last, [=](bool durable) {
      if (!durable) _exit(1);
      if (write(acknowledged, &last, sizeof last) != sizeof last) _exit(2);
    });
    while (store.congested()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    if (next % 50 == 0) store.Wait(last);
  }
}

// The largest number that can be read, and 0 if there is none.
Sequence LargestIn(int file) {
  Sequence largest = 0;
  std::array<Sequence, 512> numbers;
  for (;;) {
    const ssize_t bytes = read(file, numbers.data(), sizeof numbers);
    if (bytes <= 0) return largest;
    const auto end = numbers.begin() + bytes / ssize_t{sizeof(Sequence)};
    largest = std::max(largest, *std::max_element(numbers.begin(), end));
  }
}

class Killed : public testing::BothDatabases {};

TEST_P(Killed, HasWhatItSaidIsDurable) {
  std::string place = NewPlace();
  std::mt19937_64 random(20);  // NOLINT(bugprone-random-generator-seed)
  Sequence acknowledged = 0;
  for (int kill_number = 0; kill_number < Kills(); ++kill_number) {
    if (kill_number % 20 == 19) {
      // Otherwise it takes longer and longer to look at everything.
      place = NewPlace();
      acknowledged = 0;
    }
    std::array<int, 2> pipe_ends;
    ASSERT_EQ(pipe(pipe_ends.data()), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(pipe_ends[0]);
      Write(place, pipe_ends[1]);
    }
    close(pipe_ends[1]);
    Sequence first = 0;
    EXPECT_EQ(read(pipe_ends[0], &first, sizeof first), sizeof first);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    kill(child, SIGKILL);
    const Sequence last = LargestIn(pipe_ends[0]);
    close(pipe_ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    acknowledged = std::max({acknowledged, first, last});
    Store store({.place = place});
    ASSERT_EQ(WrongWithNumbered(store, acknowledged), "");
  }
  EXPECT_GT(acknowledged, 0U);
}

INSTANTIATE_TEST_SUITE_P(Databases, Killed, testing::DatabaseNames(),
                         testing::NameOfDatabase);

}  // namespace
}  // namespace manyarms::service
