/// A place in a conversation's order: server time, then server id. Read markers are such places.
public struct MessageOrder: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
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

    /// Whether one place is before another: by time, then by the bytes of the ids; a place without an id sorts after
    /// every message of its time.
    public static func < (first: MessageOrder, second: MessageOrder) -> Bool {
        if first.time != second.time { return first.time < second.time }
        guard let id = first.id else { return false }
        guard let other = second.id else { return true }
        return id < other
    }
}
