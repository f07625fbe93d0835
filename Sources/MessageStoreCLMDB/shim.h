#ifndef MESSAGESTORE_CLMDB_SHIM_H
#define MESSAGESTORE_CLMDB_SHIM_H

#include <errno.h>
#include <lmdb.h>
#if defined(__GLIBC__)
#include <malloc.h>  // malloc_trim
#endif
#if defined(__APPLE__)
#include <stdio.h>
#elif defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

// On Linux, AT_FDCWD of <fcntl.h>, which would make `struct stat` one of this module: Swift sees it in that of the C library alone.
#define MESSAGESTORE_WORKING_DIRECTORY -100

// Begins to load memory into the processor's cache.
static inline void messagestore_prefetch(const void *address) { __builtin_prefetch(address); }

// Exchanges two names in one step; -1 with errno where the system or the file system cannot.
#if defined(__GLIBC__)
extern int renameat2(int, const char *, int, const char *, unsigned int);
#endif

static inline int messagestore_exchange(const char *one, const char *other) {
#if defined(__APPLE__)
  return renamex_np(one, other, RENAME_SWAP);
#elif defined(__GLIBC__)
  return renameat2(MESSAGESTORE_WORKING_DIRECTORY, one, MESSAGESTORE_WORKING_DIRECTORY, other, 1u << 1 /* RENAME_EXCHANGE */);
#elif defined(SYS_renameat2)
  return (int)syscall(SYS_renameat2, MESSAGESTORE_WORKING_DIRECTORY, one, MESSAGESTORE_WORKING_DIRECTORY, other, 1u << 1 /* RENAME_EXCHANGE */);
#else
  errno = ENOSYS;
  return -1;
#endif
}

#endif
