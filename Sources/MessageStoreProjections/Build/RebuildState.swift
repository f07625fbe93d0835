internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// How far the rebuild of a store's projections has come, for reads of their rows meanwhile.
final class RebuildState: Sendable {
    private let progress = Locked<(reached: Position, last: Position)?>(nil)

    /// How far the rebuild that is under way has come; nil while none is.
    var current: (reached: Position, last: Position)? { progress.withLock { $0 } }

    func note(_ reached: Position, _ last: Position) { progress.withLock { $0 = (reached, last) } }

    func end() { progress.withLock { $0 = nil } }

    /// The error of a read of a projection that is being rebuilt.
    func error(_ id: ProjectionID?) -> StoreError {
        let name = id.map { "the projection \($0)" } ?? "a projection"
        guard let (reached, last) = current else {
            return StoreError(.rebuilding, "\(name) waits for its rebuild")
        }
        return StoreError(.rebuilding, "\(name) is rebuilt: \(reached) of \(last) events", position: reached)
    }
}
