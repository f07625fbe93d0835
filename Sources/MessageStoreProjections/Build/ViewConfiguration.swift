package import MessageStoreLMDB

/// How views are built.
package struct ViewConfiguration: Sendable {
    /// Bytes at which the write buffer is frozen and flushed.
    package var bufferBytes: Int
    /// About how many bytes of memory a replay or rebuild takes: rows are written when they take half of that.
    package var replayBytes = Self.defaultReplayBytes
    /// How many threads fold a replay or rebuild, and of how many events at a time.
    var shards = min(Machine.processors, 8)
    var shardedEvents: UInt64 = 1 << 16
    /// Mostly relaxed, one flush a commit: what a loss of power undoes is folded again.
    package var durability: Environment.Configuration.Durability
    /// When all pages of views that exist are looked at; with `always`, their rows are also counted again.
    package var pageCheck = Environment.Configuration.PageCheck.afterUncleanClose
    /// About how many pages of identities one commit changes; LMDB keeps them in memory until then.
    package var flushPages = 1024
    /// Called before each commit of views on disk; may throw.
    package var commitFault: (@Sendable () throws -> Void)?
    /// Called to write the buffer, which it measures.
    package var measuringFlush: @Sendable (_ write: () -> Void) -> Void = { $0() }
    package var catalog: ProjectionCatalog
    /// Whether views that were folded from more than the log has are dropped, rather than refused.
    package var acceptsOlderLog = false
    /// Called with the reason whenever views on disk are not used.
    package var noteUnusable: @Sendable (_ reason: String) -> Void = { _ in }

    package init(
        bufferBytes: Int = 10 << 20, durability: Environment.Configuration.Durability = .relaxed,
        catalog: ProjectionCatalog = .builtIn
    ) {
        self.catalog = catalog
        self.bufferBytes = bufferBytes
        self.durability = durability
    }

    /// A quarter of the memory, at most 512 MB; on devices that end apps which take much, 64 MB.
    package static let defaultReplayBytes: Int = {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        64 << 20
        #else
        min(Machine.memory / 4, 512 << 20)
        #endif
    }()
}
