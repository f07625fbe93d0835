// Stands before the calls of the C library that wait for the medium: counts them, and makes them longer where wanted.
//
// A program's own symbols come before those of the libraries that it loads, so LMDB, SQLite and RocksDB call what is
// defined here. Writes wait if their file was opened with O_SYNC or O_DSYNC, or with RWF_SYNC or RWF_DSYNC.

#define _GNU_SOURCE
#include "flushes.h"

#include <time.h>

long flushes_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

long flushes_thread_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

#if defined(__linux__) && defined(__LP64__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long count;
static atomic_long delay;

static struct flush_wait waits[1 << 17];
static atomic_long recorded;
static atomic_int is_recording;
static atomic_long recording_began;

int flushes_thread(void) { return (int)syscall(SYS_gettid); }

// When a call begins; nothing where waits are not recorded.
static long began(void) { return atomic_load(&is_recording) ? flushes_now() : 0; }

// The last two parts of the path of an open file; empty where it has none.
static void name_file(int descriptor, char *name, size_t size) {
  char link[32], path[512];
  name[0] = 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  long length = descriptor < 0 ? -1 : readlink(link, path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  char *part = strrchr(path, '/');
  while (part && part > path && *--part != '/') {}
  snprintf(name, size, "%s", part && *part == '/' ? part + 1 : path);
}

static void record(long begin, int descriptor) {
  long end = flushes_now();
  // It may have begun in an earlier recording.
  if (begin < atomic_load(&recording_began)) return;
  long index = atomic_fetch_add(&recorded, 1);
  if (index >= (long)(sizeof waits / sizeof *waits)) return;
  waits[index].begin = begin;
  waits[index].thread = flushes_thread();
  name_file(descriptor, waits[index].file, sizeof waits[index].file);
  __atomic_store_n(&waits[index].end, end, __ATOMIC_RELEASE);
}

// Called after a wait for a file, or for no single one (-1); keeps its result and its errno.
static long waited(long begin, int descriptor, long result) {
  if (result < 0) return result;
  int saved = errno;
  atomic_fetch_add(&count, 1);
  long microseconds = atomic_load(&delay);
  struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (microseconds && nanosleep(&left, &left) && errno == EINTR) {}
  if (begin) record(begin, descriptor);
  errno = saved;
  return result;
}

// Called after a write; O_SYNC has the bit of O_DSYNC.
static long wrote(long begin, int descriptor, long result) {
  if (result <= 0) return result;
  int saved = errno;
  long flags = syscall(SYS_fcntl, descriptor, F_GETFL);
  errno = saved;
  return flags >= 0 && flags & O_DSYNC ? waited(begin, descriptor, result) : result;
}

int fsync(int descriptor) {
  long begin = began();
  return (int)waited(begin, descriptor, syscall(SYS_fsync, descriptor));
}

int fdatasync(int descriptor) {
  long begin = began();
  return (int)waited(begin, descriptor, syscall(SYS_fdatasync, descriptor));
}

int syncfs(int descriptor) {
  long begin = began();
  return (int)waited(begin, descriptor, syscall(SYS_syncfs, descriptor));
}

void sync(void) {
  long begin = began();
  waited(begin, -1, syscall(SYS_sync));
}

int msync(void *address, size_t length, int flags) {
  long begin = began();
  long result = syscall(SYS_msync, address, length, flags);
  return (int)(flags & MS_SYNC ? waited(begin, -1, result) : result);
}

int sync_file_range(int descriptor, off64_t offset, off64_t length, unsigned int flags) {
  long begin = began();
  long result = syscall(SYS_sync_file_range, descriptor, offset, length, flags);
  int waits = flags & (SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WAIT_AFTER);
  return (int)(waits ? waited(begin, descriptor, result) : result);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  long begin = began();
  return wrote(begin, descriptor, syscall(SYS_write, descriptor, bytes, length));
}

ssize_t writev(int descriptor, const struct iovec *parts, int count_of_parts) {
  long begin = began();
  return wrote(begin, descriptor, syscall(SYS_writev, descriptor, parts, count_of_parts));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  long begin = began();
  return wrote(begin, descriptor, syscall(SYS_pwrite64, descriptor, bytes, length, offset));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  return pwrite(descriptor, bytes, length, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count_of_parts, off_t offset) {
  long begin = began();
  return wrote(begin, descriptor, syscall(SYS_pwritev, descriptor, parts, count_of_parts, offset, 0L));
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count_of_parts, off64_t offset) {
  return pwritev(descriptor, parts, count_of_parts, offset);
}

ssize_t pwritev2(int descriptor, const struct iovec *parts, int count_of_parts, off_t offset, int flags) {
  long begin = began();
  long result = syscall(SYS_pwritev2, descriptor, parts, count_of_parts, offset, 0L, flags);
  return flags & (RWF_SYNC | RWF_DSYNC) ? waited(begin, descriptor, result) : wrote(begin, descriptor, result);
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

void flushes_begin_recording(void) {
  memset(waits, 0, sizeof waits);
  atomic_store(&recorded, 0);
  atomic_store(&recording_began, flushes_now());
  atomic_store(&is_recording, 1);
}

const struct flush_wait *flushes_end_recording(long *found) {
  atomic_store(&is_recording, 0);
  *found = atomic_load(&recorded);
  return *found <= (long)(sizeof waits / sizeof *waits) && *found > 0 ? waits : 0;
}

#else

int flushes_are_counted(void) { return 0; }

int flushes_thread(void) { return 0; }

const char *flushes_missed_call(void) { return 0; }

long flushes_count(void) { return 0; }

void flushes_set_delay(long microseconds) { (void)microseconds; }

void flushes_begin_recording(void) {}

const struct flush_wait *flushes_end_recording(long *found) {
  *found = 0;
  return 0;
}

#endif
