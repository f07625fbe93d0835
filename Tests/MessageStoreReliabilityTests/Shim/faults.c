// Stands between a program and the file calls of its C library: counts them, makes one of them fail, kills the process
// before one of them, or writes them down, so that what a power loss leaves can be made from them. Preloaded into child
// processes by the tests; nothing else links it.
//
//   FAULT_UNDER   only files under this directory count, and the descriptors opened on them
//   FAULT_AT      the number of the call at which something happens, from 1; 0 or unset: never
//   FAULT_KIND    kill | EIO | ENOSPC | EMFILE | EINTR | short
//   FAULT_STICKY  1: every call from that one on
//   FAULT_COUNT   a file that gets the number of counted calls when the process ends
//   FAULT_LOG     a file that gets every change of files under the directory, and every write to standard output
//   FAULT_IGNORE  flush: flushes are neither done nor written down, as a disk that lies would
//   FAULT_HOLDING kill | stop: what happens to the process while it holds the mutex of LMDB's readers; one that stops writes
//                 8 bytes to standard output before
//
// The log holds records of little-endian fields: kind (1 byte), descriptor (4 bytes), number (8 bytes), length of a path
// (4), path, length of a second path or of data (4), bytes.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { max_descriptors = 4096 };

static char under[PATH_MAX];
static size_t under_length;
static long fault_at;
static int fault_errno;
static int fault_kill, fault_short, fault_sticky, ignores_flushes, holding_signal;
static const char *count_path;
static int log_descriptor = -1;
static long counted;
static unsigned char is_ours[max_descriptors];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  const char *directory = getenv("FAULT_UNDER");
  if (directory) {
    strncpy(under, directory, sizeof under - 1);
    under_length = strlen(under);
  }
  const char *at = getenv("FAULT_AT");
  fault_at = at ? atol(at) : 0;
  const char *kind = getenv("FAULT_KIND");
  if (kind) {
    fault_kill = !strcmp(kind, "kill");
    fault_short = !strcmp(kind, "short");
    fault_errno = !strcmp(kind, "ENOSPC") ? ENOSPC : !strcmp(kind, "EMFILE") ? EMFILE : !strcmp(kind, "EINTR") ? EINTR : EIO;
  }
  const char *sticky = getenv("FAULT_STICKY");
  fault_sticky = sticky && *sticky == '1';
  const char *ignored = getenv("FAULT_IGNORE");
  ignores_flushes = ignored && !strcmp(ignored, "flush");
  const char *holding = getenv("FAULT_HOLDING");
  holding_signal = !holding ? 0 : !strcmp(holding, "stop") ? SIGSTOP : SIGKILL;
  count_path = getenv("FAULT_COUNT");
  const char *log_path = getenv("FAULT_LOG");
  if (log_path) log_descriptor = (int)syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

__attribute__((destructor)) static void end(void) {
  if (!count_path) return;
  char text[32];
  int length = snprintf(text, sizeof text, "%ld\n", counted);
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, count_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (descriptor >= 0) {
    if (syscall(SYS_write, descriptor, text, length) < 0) {}
    syscall(SYS_close, descriptor);
  }
}

static int is_under(const char *path) {
  return under_length && path && !strncmp(path, under, under_length) && (!path[under_length] || path[under_length] == '/');
}

static int is_known(int descriptor) {
  return descriptor >= 0 && descriptor < max_descriptors && is_ours[descriptor];
}

// Counts a call; answers the error that it shall fail with, 0 for none, -1 for a short write.
static int count(void) {
  long number = __atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST);
  if (!fault_at || number < fault_at || (number > fault_at && !fault_sticky)) return 0;
  if (fault_kill) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  return fault_short ? -1 : fault_errno;
}

static void put(const void *bytes, size_t length) {
  while (length) {
    long written = syscall(SYS_write, log_descriptor, bytes, length);
    if (written <= 0) abort();
    bytes = (const char *)bytes + written;
    length -= (size_t)written;
  }
}

static void note(char kind, int descriptor, uint64_t number, const char *path, const void *data, size_t length) {
  if (log_descriptor < 0) return;
  uint32_t path_length = path ? (uint32_t)strlen(path) : 0, data_length = (uint32_t)length;
  int32_t wide = descriptor;
  put(&kind, 1);
  put(&wide, 4);
  put(&number, 8);
  put(&path_length, 4);
  put(path, path_length);
  put(&data_length, 4);
  put(data, length);
}

// Runs a call and notes it in one step, so that the log has the order in which things happened.
#define NOTED(expression, ...) \
  ({ \
    pthread_mutex_lock(&lock); \
    __auto_type result = (expression); \
    int saved = errno; \
    if (result >= 0) { __VA_ARGS__; } \
    pthread_mutex_unlock(&lock); \
    errno = saved; \
    result; \
  })

#define FAIL_IF_WANTED(condition, failure) \
  do { \
    if (condition) { \
      int wanted = count(); \
      if (wanted) { errno = wanted < 0 ? EIO : wanted; return failure; } \
    } \
  } while (0)

static int opened(int descriptor, const char *path, int flags) {
  if (descriptor >= 0 && descriptor < max_descriptors) is_ours[descriptor] = 1;
  note('o', descriptor, (uint64_t)(unsigned)flags, path, 0, 0);
  return descriptor;
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0;
  va_end(list);
  REAL(open);
  if (!is_under(path)) return real(path, flags, mode);
  FAIL_IF_WANTED(1, -1);
  return NOTED(real(path, flags, mode), opened(result, path, flags));
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0;
  va_end(list);
  REAL(openat);
  if (!is_under(path)) return real(directory, path, flags, mode);
  FAIL_IF_WANTED(1, -1);
  return NOTED(real(directory, path, flags, mode), opened(result, path, flags));
}

int close(int descriptor) {
  REAL(close);
  if (!is_known(descriptor)) return real(descriptor);
  return NOTED(real(descriptor), (is_ours[descriptor] = 0, note('c', descriptor, 0, 0, 0, 0)));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  REAL(pwrite);
  if (!is_known(descriptor)) return real(descriptor, bytes, length, offset);
  int wanted = count();
  if (wanted > 0) { errno = wanted; return -1; }
  if (wanted < 0) length = length > 1 ? length / 2 : length;
  return NOTED(real(descriptor, bytes, length, offset), note('w', descriptor, (uint64_t)offset, 0, bytes, (size_t)result));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off_t offset) {
  return pwrite(descriptor, bytes, length, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  REAL(write);
  if (descriptor == 1 && log_descriptor >= 0)
    return NOTED(real(descriptor, bytes, length), note('a', 1, 0, 0, bytes, (size_t)result));
  if (!is_known(descriptor)) return real(descriptor, bytes, length);
  int wanted = count();
  if (wanted > 0) { errno = wanted; return -1; }
  if (wanted < 0) length = length > 1 ? length / 2 : length;
  off_t offset = (off_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
  return NOTED(real(descriptor, bytes, length), note('w', descriptor, (uint64_t)offset, 0, bytes, (size_t)result));
}

static ssize_t write_vector(int descriptor, const struct iovec *vector, int count_of_parts, off_t offset, int moves) {
  int wanted = count();
  if (wanted > 0) { errno = wanted; return -1; }
  if (wanted < 0 && count_of_parts > 1) count_of_parts /= 2;
  size_t length = 0;
  for (int index = 0; index < count_of_parts; index++) length += vector[index].iov_len;
  char *bytes = malloc(length ? length : 1);
  if (!bytes) { errno = ENOMEM; return -1; }
  size_t filled = 0;
  for (int index = 0; index < count_of_parts; index++) {
    memcpy(bytes + filled, vector[index].iov_base, vector[index].iov_len);
    filled += vector[index].iov_len;
  }
  if (wanted < 0 && length > 1 && count_of_parts == 1) length /= 2;
  ssize_t written = NOTED(
      moves ? syscall(SYS_write, descriptor, bytes, length) : syscall(SYS_pwrite64, descriptor, bytes, length, offset),
      note('w', descriptor, (uint64_t)offset, 0, bytes, (size_t)result));
  int saved = errno;
  free(bytes);
  errno = saved;
  return written;
}

ssize_t writev(int descriptor, const struct iovec *vector, int parts) {
  REAL(writev);
  if (!is_known(descriptor)) return real(descriptor, vector, parts);
  return write_vector(descriptor, vector, parts, (off_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR), 1);
}

ssize_t pwritev(int descriptor, const struct iovec *vector, int parts, off_t offset) {
  REAL(pwritev);
  if (!is_known(descriptor)) return real(descriptor, vector, parts, offset);
  return write_vector(descriptor, vector, parts, offset, 0);
}

ssize_t pwritev64(int descriptor, const struct iovec *vector, int parts, off_t offset) {
  return pwritev(descriptor, vector, parts, offset);
}

int ftruncate(int descriptor, off_t length) {
  REAL(ftruncate);
  if (!is_known(descriptor)) return real(descriptor, length);
  FAIL_IF_WANTED(1, -1);
  return NOTED(real(descriptor, length), note('t', descriptor, (uint64_t)length, 0, 0, 0));
}

int ftruncate64(int descriptor, off_t length) { return ftruncate(descriptor, length); }

static int flush(int descriptor, int (*real)(int)) {
  if (!is_known(descriptor)) return real(descriptor);
  FAIL_IF_WANTED(1, -1);
  if (ignores_flushes) return 0;
  return NOTED(real(descriptor), note('s', descriptor, 0, 0, 0, 0));
}

int fsync(int descriptor) {
  REAL(fsync);
  return flush(descriptor, real);
}

int fdatasync(int descriptor) {
  REAL(fdatasync);
  return flush(descriptor, real);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  if (!is_under(from) && !is_under(to)) return real(from, to);
  FAIL_IF_WANTED(1, -1);
  return NOTED(real(from, to), note('r', 0, 0, from, to, strlen(to)));
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned int flags) {
  REAL(renameat2);
  if (!is_under(from) && !is_under(to)) return real(from_directory, from, to_directory, to, flags);
  FAIL_IF_WANTED(1, -1);
  // The only other form is that in which two names are exchanged.
  char kind = flags == 0 ? 'r' : 'x';
  return NOTED(real(from_directory, from, to_directory, to, flags), note(kind, 0, 0, from, to, strlen(to)));
}

int unlink(const char *path) {
  REAL(unlink);
  if (!is_under(path)) return real(path);
  FAIL_IF_WANTED(1, -1);
  return NOTED(real(path), note('u', 0, 0, path, 0, 0));
}

int rmdir(const char *path) {
  REAL(rmdir);
  if (!is_under(path)) return real(path);
  FAIL_IF_WANTED(1, -1);
  return NOTED(real(path), note('u', 0, 0, path, 0, 0));
}

int remove(const char *path) {
  struct stat status;
  if (!is_under(path)) {
    REAL(remove);
    return real(path);
  }
  if (lstat(path, &status)) return -1;
  return S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  if (!is_under(path)) return real(path, mode);
  FAIL_IF_WANTED(1, -1);
  return NOTED(real(path, mode), note('d', 0, 0, path, 0, 0));
}

// LMDB asks by F_GETLK whether a process with readers lives; if not, it locks the mutex of its readers and asks once more.
int fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  REAL(fcntl);
  if (!holding_signal || command != F_GETLK || !is_known(descriptor)) return real(descriptor, command, argument);
  static off_t dead = -1;
  struct flock *asked = argument;
  off_t process = asked->l_start;
  if (process == dead) {
    if (holding_signal == SIGSTOP && syscall(SYS_write, 1, "\1\0\0\0\0\0\0", 8) < 0) {}
    kill(getpid(), holding_signal);
    holding_signal = 0;
  }
  int result = real(descriptor, command, argument);
  dead = !result && asked->l_type == F_UNLCK ? process : -1;
  return result;
}

int fcntl64(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return fcntl(descriptor, command, argument);
}
