internal import Foundation

#if canImport(Glibc)
internal import Glibc
#endif

/// What the system counted for this process so far; differences of two are a measurement.
struct ProcessCounters {
    /// Bytes sent to the block layer (Linux); pages written twice count twice.
    var bytesWritten: Int?
    var minorFaults = 0
    var majorFaults = 0

    static func now() -> ProcessCounters {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        return ProcessCounters(
            bytesWritten: ProcessFiles.value("write_bytes:", in: "/proc/self/io"), minorFaults: Int(usage.ru_minflt),
            majorFaults: Int(usage.ru_majflt))
    }

    static func - (later: ProcessCounters, earlier: ProcessCounters) -> ProcessCounters {
        var bytes: Int?
        if let after = later.bytesWritten, let before = earlier.bytesWritten { bytes = after - before }
        return ProcessCounters(
            bytesWritten: bytes, minorFaults: later.minorFaults - earlier.minorFaults,
            majorFaults: later.majorFaults - earlier.majorFaults)
    }
}

/// Numbers in files of `/proc`.
enum ProcessFiles {
    static func value(_ key: String, in path: String) -> Int? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(key) {
            return line.dropFirst(key.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first.flatMap {
                Int($0)
            }
        }
        return nil
    }

    /// Bytes of memory that belong to no file (RssAnon), so LMDB's map does not count.
    static func anonymousMemory() -> Int? { value("RssAnon:", in: "/proc/self/status").map { $0 * 1024 } }
}
