/// The one name by which rows keep facts about a message, whether it has arrived or not: the server's id once there is
/// one.
enum MessageName: Hashable {
    case server([UInt8])
    case local(LocalMessageID)

    init(_ reference: ReferenceView) {
        switch reference {
        case .server(let id): self = .server(id.copied)
        case .local(let local): self = .local(local)
        }
    }

    init(_ reference: MessageReference) {
        switch reference {
        case .server(let id): self = .server(Array(id.rawValue.utf8))
        case .local(let local): self = .local(local)
        }
    }

    init(_ message: Message) {
        self.init(message.serverID.map { .server($0) } ?? .local(message.id))
    }

    /// A name of each form, in keys.
    static let forms: [MessageName] = [.server([0]), .local(LocalMessageID(0))]

    /// The server's id; empty while there is none.
    var serverID: [UInt8] {
        if case .server(let id) = self { id } else { [] }
    }

    fileprivate var local: LocalMessageID {
        if case .local(let local) = self { local } else { LocalMessageID(0) }
    }
}

/// Which id of a message follows in a key.
private enum NamingID: UInt8, RowValue {
    case server = 0
    case local = 1
}

extension RowParts where Self: ~Copyable & ~Escapable {
    /// The name of a message, at the end of a key.
    mutating func message(_ name: inout MessageName) {
        var (naming, serverID, local) = (NamingID.server, name.serverID, name.local)
        if case .local = name { naming = .local }
        part("named", &naming)
        switch naming {
        case .server:
            bytes("serverID", &serverID, count: nil, .serverID)
            name = .server(serverID)
        case .local:
            part("local", &local)
            name = .local(local)
        }
    }

    /// The name of a message in a key that goes on: the length of the server's id, 0 where there is none, and the id.
    @inline(__always)
    mutating func countedMessage(_ name: inout MessageName) {
        var (serverID, local) = (name.serverID, name.local)
        var length = UInt8(clamping: serverID.count)
        part("serverIDLength", &length, .length)
        if length > 0 {
            bytes("serverID", &serverID, count: Int(length), .serverID)
            name = .server(serverID)
        } else {
            part("local", &local)
            name = .local(local)
        }
    }
}
