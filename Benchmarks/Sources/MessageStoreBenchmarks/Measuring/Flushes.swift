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

    /// Runs `body` while every flush takes so many milliseconds more than it takes here.
    static func delayed<Result>(byMilliseconds delay: Int, _ body: () throws -> Result) throws -> Result {
        try check()
        guard delay == 0 || count != nil else { throw Failure("flushes can be delayed on 64-bit Linux alone") }
        flushes_set_delay(delay * 1_000)
        defer { flushes_set_delay(0) }
        return try body()
    }
}
