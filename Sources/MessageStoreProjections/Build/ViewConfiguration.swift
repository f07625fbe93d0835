package import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// How views are built.
package struct ViewConfiguration: Sendable {
    /// Bytes at which the write buffer is frozen and flushed.
    package var bufferBytes: Int
    /// Mostly relaxed, one flush a commit: what a loss of power undoes is folded again.
    package var durability: Environment.Configuration.Durability
    /// When all pages of views that exist are looked at; with `always`, their rows are also counted again.
    package var pageCheck = Environment.Configuration.PageCheck.afterUncleanClose
    /// About how many pages of identities one commit changes; LMDB keeps them in memory until then.
    package var flushPages = 1024
    /// Called before each commit of views on disk; may throw.
    package var commitFault: (@Sendable () throws -> Void)?
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
}
