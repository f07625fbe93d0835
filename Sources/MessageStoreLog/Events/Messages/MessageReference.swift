/// A reference to a message by its local or its server id.
public enum MessageReference: Hashable, Sendable, Codable, CustomStringConvertible {
    /// By its id in this store.
    case local(LocalMessageID)
    /// By the server's id, in the conversation of the event or query.
    case server(ServerMessageID)

    private enum Key: String, CodingKey { case local, server }

    /// Reads an object of one key, `local` or `server`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let local = try container.decodeIfPresent(LocalMessageID.self, forKey: .local) {
            self = .local(local)
        } else {
            self = .server(try container.decode(ServerMessageID.self, forKey: .server))
        }
    }

    /// Writes an object of one key, `local` or `server`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .local(let id): try container.encode(id, forKey: .local)
        case .server(let id): try container.encode(id, forKey: .server)
        }
    }

    /// The server's id, or `local` and the local id.
    public var description: String {
        switch self {
        case .local(let id): "local \(id)"
        case .server(let id): id.rawValue
        }
    }
}

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
