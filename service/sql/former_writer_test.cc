#include "service/sql/former_writer.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>

#include "in_a_folder.h"
#include "service/sql/file_lock.h"

namespace manyarms::sql {
namespace {

class FormerWriter : public testing::InAFolder {
 protected:
  std::string Path() const { return (folder_ / "a.db.lock").string(); }
};

TEST_F(FormerWriter, IsEndedIfItIsAnotherProcess) {
  int ready[2];  // NOLINT(modernize-avoid-c-arrays)
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const FileLock lock(Path());
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(HolderOf(Path()), child);
  EXPECT_TRUE(EndHolderOf(Path()));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_NO_THROW(FileLock{Path()});
}

TEST_F(FormerWriter, IsLeftAloneIfItIsThisProcess) {
  const FileLock lock(Path());
  EXPECT_EQ(HolderOf(Path()), std::nullopt);
  EXPECT_FALSE(EndHolderOf(Path()));
}

TEST_F(FormerWriter, NeedNotBeThere) {
  EXPECT_FALSE(EndHolderOf(Path()));
  { const FileLock lock(Path()); }
  EXPECT_FALSE(EndHolderOf(Path()));
}

}  // namespace
}  // namespace manyarms::sql
