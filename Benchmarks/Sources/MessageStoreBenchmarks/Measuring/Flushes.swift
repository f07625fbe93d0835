internal import CFlushes

/// Waits for the medium, of every library in this process: counted, and made longer where wanted.
///
/// These are `fsync`, `fdatasync`, `syncfs`, `sync`, `msync`, `sync_file_range`, and writes with `O_SYNC`, `O_DSYNC`,
/// `RWF_SYNC` or `RWF_DSYNC`.
enum Flushes {
    /// How many there were so far; nil where they cannot be counted.
    static var count: Int? { flushes_are_counted() == 0 ? nil : flushes_count() }

    /// Refuses to go on if libraries call something else than what counts.
    static func check() throws {
        guard let name = flushes_missed_call() else { return }
        throw Failure("libraries call another \(String(cString: name)) than the one that counts flushes")
    }

    /// Nanoseconds of a clock that never goes back.
    static var now: Int { flushes_now() }

    /// Runs `body`, and records the waits meanwhile; nil if there were more than 131,072. A wait takes one to three
    /// microseconds more then.
    static func recording(_ body: () throws -> Void) rethrows -> [FlushWait]? {
        flushes_begin_recording()
        var count = 0
        do { try body() } catch {
            _ = flushes_end_recording(&count)
            throw error
        }
        guard let waits = flushes_end_recording(&count) else { return count == 0 ? [] : nil }
        // A wait that is not over has no end.
        return (0..<count).compactMap { waits[$0].end == 0 ? nil : FlushWait(waits[$0]) }
    }

    /// Runs `body` while every flush takes so many milliseconds more than it takes here.
    static func delayed<Result>(byMilliseconds delay: Int, _ body: () throws -> Result) throws -> Result {
        try check()
        guard delay == 0 || count != nil else { throw Failure("flushes can be delayed on 64-bit Linux alone") }
        flushes_set_delay(delay * 1_000)
        defer { flushes_set_delay(0) }
        return try body()
    }
}

/// One wait for the medium.
struct FlushWait {
    /// Nanoseconds of the clock of ``Flushes``.
    let begin: Int
    let end: Int
    let thread: Int32
    /// Whose it was: `journal`, `log` or `views` of a store, or the last parts of the file's path; empty for a map.
    let use: String

    init(_ wait: flush_wait) {
        (begin, end, thread) = (wait.begin, wait.end, wait.thread)
        let file = withUnsafeBytes(of: wait.file) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let parts = file.split(separator: "/")
        let isOfStore = ["log", "views"].contains(parts.first) && parts.last?.hasPrefix("journal") == false
        use = isOfStore ? String(parts[0]) : parts.last?.hasPrefix("journal") == true ? "journal" : file
    }
}
