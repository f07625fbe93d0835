#ifndef MESSAGESTORE_CLMDB_SHIM_H
#define MESSAGESTORE_CLMDB_SHIM_H

#include <lmdb.h>

#endif
