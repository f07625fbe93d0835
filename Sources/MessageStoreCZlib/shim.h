#ifndef MESSAGESTORE_CZLIB_SHIM_H
#define MESSAGESTORE_CZLIB_SHIM_H

#include <zlib.h>

#endif
