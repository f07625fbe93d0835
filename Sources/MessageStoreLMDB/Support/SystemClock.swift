/// The wall clock, read without Foundation.
package enum SystemClock {
    package static func sinceEpoch() -> (seconds: Int64, nanoseconds: Int64) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return (Int64(time.tv_sec), Int64(time.tv_nsec))
    }
}
