#ifndef MESSAGESTORE_CSQLITE_SHIM_H
#define MESSAGESTORE_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
