#include "service/engine/handle_table.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace manyarms::service {
namespace {

// With few different hashes, so that most handles are away from their homes.
TEST(HandleTable, HasWhatASetHas) {
  for (const std::uint64_t hashes : {1U, 7U, 64U, 1'000'000U}) {
    std::mt19937 random(3);  // NOLINT(bugprone-random-generator-seed)
    HandleTable table;
    std::set<HandleTable::Handle> expected;
    const auto hash_of = [&](HandleTable::Handle handle) {
      return std::uint64_t{handle} % hashes;
    };
    for (int step = 0; step < 5000; ++step) {
      const auto handle = static_cast<HandleTable::Handle>(random() % 200);
      const bool is_there = expected.contains(handle);
      ASSERT_EQ(
          table.Find(hash_of(handle), [&](auto one) { return one == handle; }),
          is_there ? handle : HandleTable::kNone);
      if (is_there) {
        table.Erase(handle, hash_of);
        expected.erase(handle);
      } else {
        table.Reserve(table.size() + 1, hash_of);
        table.Insert(handle, hash_of(handle));
        expected.insert(handle);
      }
      ASSERT_EQ(table.size(), expected.size());
    }
  }
}

}  // namespace
}  // namespace manyarms::service
