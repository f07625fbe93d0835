#ifndef FLUSHES_H
#define FLUSHES_H

/// Whether calls that wait for the medium can be counted: on 64-bit Linux.
int flushes_are_counted(void);

/// The name of a call that libraries make past this one, so that it is not counted; null if there is none.
const char *flushes_missed_call(void);

/// How often threads of this process have waited for the medium so far, whichever library made them.
long flushes_count(void);

/// Makes every further wait for the medium longer by so many microseconds.
void flushes_set_delay(long microseconds);

#endif
