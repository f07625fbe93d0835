@_spi(Storage) public import MessageStoreLog

/// A projection of a store, and the state of its rows.
public struct ProjectionStatus: Sendable, Hashable {
    /// The state of a projection's rows.
    public enum State: Sendable, Hashable {
        /// They are kept up to date.
        case current
        /// They are being rebuilt or wait to be; until then queries throw `rebuilding`.
        case rebuilding
        /// The projection is not registered: its rows stay as they were at ``ProjectionStatus/position``.
        case unregistered
    }

    /// The name.
    public let id: ProjectionID
    /// The version that made the rows; the registered one while they are being rebuilt.
    public let version: UInt32
    /// The state of the rows.
    public let state: State
    /// The position of the rows; how far the rebuild has come while they are being rebuilt.
    public let position: Position

    /// Creates the value, for tests and previews.
    public init(id: ProjectionID, version: UInt32, state: State, position: Position) {
        self.id = id
        self.version = version
        self.state = state
        self.position = position
    }
}

extension Views {
    /// Every projection that has rows or is registered, in the order in which events pass through them; those that are
    /// not registered follow by name.
    ///
    /// Costs a look at the checkpoint.
    ///
    /// - Throws: `StoreError`.
    public borrowing func projections() throws -> [ProjectionStatus] {
        let catalog = plan.catalog
        let stored = try storedCheckpoint()?.projections ?? [:]
        let reached = rebuild.current?.reached ?? .origin
        let registered = catalog.entries.indices.map { index in
            let declaration = catalog.entries[index].declaration
            let isCurrent = plan.folded.contains(index)
            return ProjectionStatus(
                id: declaration.id, version: declaration.version, state: isCurrent ? .current : .rebuilding,
                position: isCurrent ? position : reached)
        }
        let others = stored.filter { catalog.index(of: $0.key) == nil }.map { id, part in
            ProjectionStatus(id: id, version: part.version, state: .unregistered, position: part.position)
        }
        return registered + others.sorted { $0.id.rawValue < $1.id.rawValue }
    }
}
