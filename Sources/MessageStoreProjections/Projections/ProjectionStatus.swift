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
