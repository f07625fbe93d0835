@_spi(Storage) internal import MessageStoreLog

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

    fileprivate var serverID: [UInt8] {
        if case .server(let id) = self { id } else { [] }
    }

    fileprivate var local: LocalMessageID {
        if case .local(let local) = self { local } else { LocalMessageID(0) }
    }
}

/// Which id of a message follows in a key.
private enum NamingID: UInt8, RowValue {
    typealias Stored = UInt8
    case server = 0
    case local = 1
}

extension RowParts where Self: ~Copyable & ~Escapable {
    /// The name of a message, at the end of a key.
    @_lifetime(self: copy self)
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
    @_lifetime(self: copy self)
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

extension ViewSnapshot {
    /// The message of a conversation that a name denotes; nil if there is none up to this position.
    borrowing func local(of name: MessageName, in conversation: ConversationNumber) throws -> LocalMessageID? {
        let local: LocalMessageID?
        switch name {
        case .local(let named): local = named
        case .server(let id): local = try self.local(of: id.span.bytes, in: conversation)
        }
        guard let local, local.rawValue <= position.rawValue, try isMessage(local, in: conversation) else { return nil }
        return local
    }

    /// The name in use for the message that a name denotes; nil for a local id that is none of the conversation's.
    borrowing func name(for name: MessageName, in conversation: ConversationNumber) throws -> MessageName? {
        guard let local = try local(of: name, in: conversation) else {
            if case .server = name { return name }
            return nil
        }
        // The id of an echo whose place a queued message took is that message's.
        guard let id = try serverID(of: local, in: conversation),
            try self.local(of: id.span.bytes, in: conversation) == local
        else { return .local(local) }
        return .server(id)
    }

    /// The name that an event ended and the one that holds instead, where a message got another name or a name turned
    /// out to be of another message; nil for every other event.
    borrowing func renaming(by event: RecordView) throws -> (old: MessageName, current: MessageName)? {
        let old: MessageName
        switch event.type {
        case .messageSent:
            let local = MessageName.local(event[MessageSent.Fields.message])
            let told = MessageName.server(event.serverID.copied)
            // A second acknowledgement gives the message another name.
            let current = try name(for: local, in: event.conversationNumber)
            old = try current != told && name(for: told, in: event.conversationNumber) == current ? told : local
        case .messageDuplicateSuppressed: old = .server(event.serverID.copied)
        default: return nil
        }
        guard let current = try name(for: old, in: event.conversationNumber), current != old else { return nil }
        return (old, current)
    }

    /// The names of the messages that an event is about: facts about a repeat apply to its original as well.
    borrowing func names(for named: MessageName, in conversation: ConversationNumber) throws -> Set<MessageName> {
        guard let name = try name(for: named, in: conversation) else { return [] }
        guard let local = try local(of: named, in: conversation), let original = try original(of: local),
            let originalName = try self.name(for: .local(original), in: conversation)
        else { return [name] }
        return [name, originalName]
    }
}
