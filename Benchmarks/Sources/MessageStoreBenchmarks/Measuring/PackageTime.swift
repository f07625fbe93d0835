internal import CFlushes
internal import Foundation

#if canImport(Glibc)
internal import Glibc
#endif

/// When a package was recorded, and what its thread did meanwhile.
struct PackageTime {
    /// Nanoseconds of the clock of ``Flushes``.
    var start = Flushes.now
    var end = 0
    /// The thread that recorded it; 0 if several took part.
    var thread: Int32 = 0
    /// What the thread spent; nil where the system does not say.
    var spent: ThreadTimes?

    var microseconds: Double { Double(end - start) / 1e3 }
}

/// Microseconds that one thread ran, and that it waited for a processor.
struct ThreadTimes {
    var running = 0.0
    var waiting = 0.0

    static func - (later: ThreadTimes, earlier: ThreadTimes) -> ThreadTimes {
        ThreadTimes(running: later.running - earlier.running, waiting: later.waiting - earlier.waiting)
    }
}

/// Reads the times of the thread that made it (Linux). A reading takes about a microsecond.
final class ThreadWatch {
    private let descriptor = open("/proc/thread-self/schedstat", O_RDONLY)

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Nil where the system does not say.
    var times: ThreadTimes? {
        guard descriptor >= 0 else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 96) { buffer in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            // Nanoseconds on a processor and waiting for one, and how often the thread got one. The first number is of the
            // last tick.
            var (numbers, index) = ([0.0, 0.0], 0)
            for byte in buffer.prefix(max(count, 0)) {
                if byte == UInt8(ascii: " ") { index += 1 }
                guard index < 2 else { break }
                if byte >= UInt8(ascii: "0") { numbers[index] = numbers[index] * 10 + Double(byte - UInt8(ascii: "0")) }
            }
            guard numbers[0] > 0 else { return nil }
            return ThreadTimes(running: Double(flushes_thread_time()) / 1e3, waiting: numbers[1] / 1e3)
        }
    }
}

extension SyncPeer {
    /// Records prepared packages one after the other, timed.
    func ingestOneByOne(_ count: Int, acknowledge: () -> Void) throws -> [PackageTime] {
        var times: [PackageTime] = []
        let watch = ThreadWatch()
        var last = watch.times
        for package in 0..<count {
            var time = PackageTime()
            try ingest(package)
            time.end = Flushes.now
            // Between the packages: in the rate, and in no package's time.
            let now = watch.times
            if let now, let last { time.spent = now - last }
            (last, time.thread) = (now, flushes_thread())
            times.append(time)
            acknowledge()
        }
        return times
    }
}
