#ifndef SYSTEM_MEMORY_H
#define SYSTEM_MEMORY_H

/// Gives memory that was freed back to the system, so that it does not hide what is allocated next; glibc only.
void system_trim_memory(void);

#endif
