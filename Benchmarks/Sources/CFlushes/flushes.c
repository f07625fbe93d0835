// Stands before the calls of the C library that wait for the medium: counts them, and makes them longer where wanted.
//
// A program's own symbols come before those of the libraries that it loads, so LMDB, SQLite and RocksDB call what is
// defined here. Writes wait if their file was opened with O_SYNC or O_DSYNC, or with RWF_SYNC or RWF_DSYNC.

#define _GNU_SOURCE
#include "flushes.h"

#if defined(__linux__) && defined(__LP64__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long count;
static atomic_long delay;

// Called after a wait; keeps its result and its errno.
static long waited(long result) {
  if (result < 0) return result;
  int saved = errno;
  atomic_fetch_add(&count, 1);
  long microseconds = atomic_load(&delay);
  struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (microseconds && nanosleep(&left, &left) && errno == EINTR) {}
  errno = saved;
  return result;
}

// Called after a write; O_SYNC has the bit of O_DSYNC.
static long wrote(int descriptor, long result) {
  if (result <= 0) return result;
  int saved = errno;
  long flags = syscall(SYS_fcntl, descriptor, F_GETFL);
  errno = saved;
  return flags >= 0 && flags & O_DSYNC ? waited(result) : result;
}

int fsync(int descriptor) { return (int)waited(syscall(SYS_fsync, descriptor)); }

int fdatasync(int descriptor) { return (int)waited(syscall(SYS_fdatasync, descriptor)); }

int syncfs(int descriptor) { return (int)waited(syscall(SYS_syncfs, descriptor)); }

void sync(void) { waited(syscall(SYS_sync)); }

int msync(void *address, size_t length, int flags) {
  long result = syscall(SYS_msync, address, length, flags);
  return (int)(flags & MS_SYNC ? waited(result) : result);
}

int sync_file_range(int descriptor, off64_t offset, off64_t length, unsigned int flags) {
  long result = syscall(SYS_sync_file_range, descriptor, offset, length, flags);
  return (int)(flags & (SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WAIT_AFTER) ? waited(result) : result);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  return wrote(descriptor, syscall(SYS_write, descriptor, bytes, length));
}

ssize_t writev(int descriptor, const struct iovec *parts, int count_of_parts) {
  return wrote(descriptor, syscall(SYS_writev, descriptor, parts, count_of_parts));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return wrote(descriptor, syscall(SYS_pwrite64, descriptor, bytes, length, offset));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  return pwrite(descriptor, bytes, length, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count_of_parts, off_t offset) {
  return wrote(descriptor, syscall(SYS_pwritev, descriptor, parts, count_of_parts, offset, 0L));
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count_of_parts, off64_t offset) {
  return pwritev(descriptor, parts, count_of_parts, offset);
}

ssize_t pwritev2(int descriptor, const struct iovec *parts, int count_of_parts, off_t offset, int flags) {
  long result = syscall(SYS_pwritev2, descriptor, parts, count_of_parts, offset, 0L, flags);
  return flags & (RWF_SYNC | RWF_DSYNC) ? waited(result) : wrote(descriptor, result);
}

ssize_t pwritev64v2(int descriptor, const struct iovec *parts, int count_of_parts, off64_t offset, int flags) {
  return pwritev2(descriptor, parts, count_of_parts, offset, flags);
}

int flushes_are_counted(void) { return 1; }

const char *flushes_missed_call(void) {
  static const struct {
    const char *name;
    void *call;
  } calls[] = {
      {"fsync", fsync},       {"fdatasync", fdatasync},   {"syncfs", syncfs},
      {"sync", sync},         {"msync", msync},           {"sync_file_range", sync_file_range},
      {"write", write},       {"writev", writev},         {"pwrite", pwrite},
      {"pwrite64", pwrite64}, {"pwritev", pwritev},       {"pwritev64", pwritev64},
      {"pwritev2", pwritev2}, {"pwritev64v2", pwritev64v2},
  };
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++)
    if (dlsym(RTLD_DEFAULT, calls[index].name) != calls[index].call) return calls[index].name;
  return 0;
}

long flushes_count(void) { return atomic_load(&count); }

void flushes_set_delay(long microseconds) { atomic_store(&delay, microseconds); }

#else

int flushes_are_counted(void) { return 0; }

const char *flushes_missed_call(void) { return 0; }

long flushes_count(void) { return 0; }

void flushes_set_delay(long microseconds) { (void)microseconds; }

#endif
