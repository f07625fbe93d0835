/// A place in a conversation's order: server time, then server id. Read markers are such places.
public struct MessageOrder: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The server time.
    public var time: Timestamp
    /// The server id; nil sorts after every message of that time.
    public var id: ServerMessageID?

    /// Creates a place.
    public init(time: Timestamp, id: ServerMessageID? = nil) {
        self.time = time
        self.id = id
    }

    /// The time, then the id if there is one.
    public var description: String { id.map { "\(time) \($0)" } ?? time.description }
}
