#ifndef CALLGRIND_REQUESTS_H
#define CALLGRIND_REQUESTS_H

/// Sets the counters of callgrind to zero; nothing where the process does not run under it.
void callgrind_zero(void);
/// Writes callgrind's counters to a file of their own, under a name; nothing where the process does not run under it.
void callgrind_dump(const char *name);

#endif
