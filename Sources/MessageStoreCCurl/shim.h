#ifndef MESSAGESTORE_CCURL_SHIM_H
#define MESSAGESTORE_CCURL_SHIM_H

#include <curl/curl.h>

#endif
