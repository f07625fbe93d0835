@_spi(Storage) package import MessageStoreLog

extension StoreError {
    /// A row of the views that cannot be read; rebuilding the views from the log mends it.
    package static func damagedView(_ table: ViewTable) -> StoreError {
        StoreError(.storeDamaged, "a row of the view table \(table.name) cannot be read; rebuild the views")
    }
}
