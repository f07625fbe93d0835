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

    /// Runs `body`, and records the waits meanwhile, up to 131,072 of them.
    static func recording(_ body: () throws -> Void) rethrows -> [FlushWait] {
        flushes_begin_recording()
        var count = 0
        do { try body() } catch {
            _ = flushes_end_recording(&count)
            throw error
        }
        let waits = flushes_end_recording(&count)
        return (0..<count).compactMap { index in waits.map { FlushWait($0[index]) } }
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
    /// Whose it was: `journal`, `log` or `views` of a store, or the file's name; empty for a map.
    let use: String

    init(_ wait: flush_wait) {
        (begin, end, thread) = (wait.begin, wait.end, wait.thread)
        let file = withUnsafeBytes(of: wait.file) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let parts = file.split(separator: "/")
        use = parts.last?.hasPrefix("journal") == true ? "journal" : parts.first.map(String.init) ?? ""
    }
}
