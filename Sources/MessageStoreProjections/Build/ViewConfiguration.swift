package import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// How views are built.
package struct ViewConfiguration: Sendable {
    /// Bytes at which the write buffer is frozen and flushed.
    package var bufferBytes: Int
    package var durability: Environment.Configuration.Durability
    package var catalog: ProjectionCatalog

    package init(
        bufferBytes: Int = 40 << 20, durability: Environment.Configuration.Durability = .full,
        catalog: ProjectionCatalog = .builtIn
    ) {
        self.catalog = catalog
        self.bufferBytes = bufferBytes
        self.durability = durability
    }
}
