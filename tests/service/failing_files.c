/* Loaded before other libraries (LD_PRELOAD), it lets writes or syncs of files
 * below FAILING_FILES fail while the file FAILING_FILES_FLAG exists. The flag
 * says what fails and how: "write ENOSPC", "write EIO" or "sync EIO". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* The error with which an operation on a file fails now; 0 if it does not. */
static int failure_of(int file, const char* operation) {
  const char* flag = getenv("FAILING_FILES_FLAG");
  const char* folder = getenv("FAILING_FILES");
  if (flag == NULL || folder == NULL || access(flag, F_OK) != 0) return 0;
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  if (strncmp(path, folder, strlen(folder)) != 0) return 0;
  char text[64] = "";
  const int opened = open(flag, O_RDONLY | O_CLOEXEC);
  if (opened < 0) return 0;
  const ssize_t had = read(opened, text, sizeof text - 1);
  close(opened);
  if (had <= 0 || strncmp(text, operation, strlen(operation)) != 0) return 0;
  return strstr(text, "ENOSPC") != NULL ? ENOSPC : EIO;
}

/* The function that this one stands in front of. */
#define REAL(name)               \
  static __typeof__(&name) real; \
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #name)

#define FAIL(file, operation)                        \
  do {                                               \
    const int failure = failure_of(file, operation); \
    if (failure != 0) {                              \
      errno = failure;                               \
      return -1;                                     \
    }                                                \
  } while (0)

ssize_t write(int file, const void* data, size_t size) {
  REAL(write);
  FAIL(file, "write");
  return real(file, data, size);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  REAL(pwrite);
  FAIL(file, "write");
  return real(file, data, size, offset);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t offset) {
  REAL(pwrite64);
  FAIL(file, "write");
  return real(file, data, size, offset);
}

int ftruncate(int file, off_t size) {
  REAL(ftruncate);
  FAIL(file, "write");
  return real(file, size);
}

int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  FAIL(file, "write");
  return real(file, size);
}

int fsync(int file) {
  REAL(fsync);
  FAIL(file, "sync");
  return real(file);
}

int fdatasync(int file) {
  REAL(fdatasync);
  FAIL(file, "sync");
  return real(file);
}
