#include "callgrind_requests.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
void callgrind_zero(void) { CALLGRIND_ZERO_STATS; }
void callgrind_dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
#else
void callgrind_zero(void) {}
void callgrind_dump(const char *name) { (void)name; }
#endif
