#include "system_memory.h"

#if defined(__GLIBC__) || __has_include(<malloc.h>)
#include <malloc.h>
#endif

void system_trim_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}
