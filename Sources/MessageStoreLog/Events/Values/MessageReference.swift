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
