internal import Foundation

#if canImport(Glibc)
internal import Glibc
#endif

/// What the system counted for this process so far; differences of two are a measurement.
struct ProcessCounters {
    /// Bytes of the page cache that became dirty (Linux); pages written twice count twice, and a page in a large folio
    /// counts as the whole folio, of which the disk gets that page alone.
    var bytesWritten: Int?
    /// Bytes passed to calls that write (Linux); what is written through a map is not in them.
    var bytesPassed: Int?
    /// Calls that waited for the medium, where they can be counted.
    var flushes: Int?
    var minorFaults = 0
    var majorFaults = 0
    /// Of all threads, in the program and in the kernel for it.
    var cpuSeconds = 0.0

    /// What reports say of the two counts of bytes.
    static let explanation = """
        Bytes passed are those given to calls that write (`wchar`), without what is written through a map; bytes written, or \
        dirtied, are those of pages that became dirty (`write_bytes`), where a page in a large folio of the page cache counts \
        as the whole folio.
        """

    static func now() -> ProcessCounters {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        return ProcessCounters(
            bytesWritten: ProcessFiles.value("write_bytes:", in: "/proc/self/io"),
            bytesPassed: ProcessFiles.value("wchar:", in: "/proc/self/io"), flushes: Flushes.count,
            minorFaults: Int(usage.ru_minflt), majorFaults: Int(usage.ru_majflt),
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    static func - (later: ProcessCounters, earlier: ProcessCounters) -> ProcessCounters {
        later.combined(with: earlier, -, -)
    }

    static func + (first: ProcessCounters, second: ProcessCounters) -> ProcessCounters {
        second.combined(with: first, +, +)
    }

    private func combined(
        with other: ProcessCounters, _ operation: (Int, Int) -> Int, _ onSeconds: (Double, Double) -> Double
    )
        -> ProcessCounters
    {
        ProcessCounters(
            bytesWritten: bytesWritten.map { operation($0, other.bytesWritten ?? 0) },
            bytesPassed: bytesPassed.map { operation($0, other.bytesPassed ?? 0) },
            flushes: flushes.map { operation($0, other.flushes ?? 0) },
            minorFaults: operation(minorFaults, other.minorFaults),
            majorFaults: operation(majorFaults, other.majorFaults),
            cpuSeconds: onSeconds(cpuSeconds, other.cpuSeconds))
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
