#ifndef MESSAGESTORE_CLMDB_SHIM_H
#define MESSAGESTORE_CLMDB_SHIM_H

#include <lmdb.h>
#if defined(__GLIBC__)
#include <malloc.h>  // malloc_trim
#endif

#endif
