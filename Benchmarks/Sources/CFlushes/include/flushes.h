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

/// Nanoseconds of a clock that never goes back.
long flushes_now(void);

/// The system's number of this thread; 0 where it has none.
int flushes_thread(void);

/// Nanoseconds that this thread ran.
long flushes_thread_time(void);

/// A wait for the medium.
struct flush_wait {
  /// When it began and ended, in nanoseconds of CLOCK_MONOTONIC; no end yet: 0.
  long begin, end;
  /// The system's number of the thread that waited.
  int thread;
  /// The last two parts of the file's path, such as `views/data.mdb`; empty for a map or all files.
  char file[44];
};

/// Records waits from now on, up to 131,072.
void flushes_begin_recording(void);

/// The waits that were recorded; valid until the next recording. Null if there are none, or more than there is room for.
///
/// - Parameter found: How many there are.
const struct flush_wait *flushes_end_recording(long *found);

#endif
