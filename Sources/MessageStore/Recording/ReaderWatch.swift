internal import MessageStoreLMDB

/// Notices reads that stay open while the store is written: pages that they may still see cannot be reused, so the files
/// grow.
struct ReaderWatch: Sendable {
    /// Appends between two looks.
    static let interval = 1024

    /// A read that is older than ``interval`` commits.
    struct Warning: Sendable {
        let commits: Int
        /// Bytes by which the file has grown since the last look.
        let growth: Int
    }

    private var appends = 0
    private var size = 0

    /// Counts an append; looks at the readers now and then.
    mutating func warning(_ environment: Environment) throws -> Warning? {
        appends += 1
        guard appends % Self.interval == 0 else { return nil }
        let lag = try environment.readerLag()
        defer { size = lag.usedBytes }
        guard lag.commits >= Self.interval else { return nil }
        return Warning(commits: lag.commits, growth: size == 0 ? 0 : lag.usedBytes - size)
    }
}
