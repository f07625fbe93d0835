internal import MessageStoreLMDB

/// Notices reads that stay open while the store is written: pages that they may still see cannot be reused, so the
/// files grow.
struct ReaderWatch: Sendable {
    /// Appends between two looks.
    static let interval = 1024

    /// A read that is so many commits of the log old.
    private static let commits = 8

    /// A read that is old.
    struct Warning: Sendable {
        let commits: Int
        /// Bytes by which the file has grown since the last look.
        let growth: Int
    }

    private var appends = 0
    private var size = 0

    /// Counts an append; looks at the log's readers now and then. The views are written more seldom: a read that
    /// matters to them is old by the log's count first.
    mutating func warning(_ environment: Environment) -> Warning? {
        appends += 1
        // If the readers cannot be examined, the next append or read reports why.
        guard appends % Self.interval == 0, let lag = try? environment.readerLag() else { return nil }
        defer { size = lag.usedBytes }
        guard lag.commits >= Self.commits else { return nil }
        return Warning(commits: lag.commits, growth: size == 0 ? 0 : lag.usedBytes - size)
    }
}
