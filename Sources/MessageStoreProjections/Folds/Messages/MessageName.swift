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

    /// The server's id; empty while there is none.
    var serverID: [UInt8] {
        if case .server(let id) = self { id } else { [] }
    }

    fileprivate var local: LocalMessageID {
        if case .local(let local) = self { local } else { LocalMessageID(0) }
    }
}

/// The kind of a message's id that follows in a key.
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

    /// The name of a message in a key that goes on: the length of the server's id, 0 if there is none, and the id.
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

// The rule of all facts about a message that may be recorded before it arrives, under another of its ids, or of a
// message that repeats it:
//
// - A fact is kept under its message's name: the server's id, or the local id while no server acknowledged the message.
//   A server's id without a known message is a name, too.
// - A fact about a repeat is kept under the repeat's name and under its original's.
// - An acknowledgement or a verdict about a repeat joins names. All that was kept under a name until then is joined
//   with what is kept under the names that apply to its message from now on. Each kind of fact has its own rule for two
//   rows of one message, which gives the same row in any order and for any repetition.
//
// `MessageState` follows the same rule by local ids, where `parkedStates` has the names that denote no message yet.

extension MessageDetails {
    /// Joins names if an event says that they are of one message, or that one repeats the other.
    func join(by event: RecordView, _ rows: inout FoldRows) throws {
        if event.type == .messageSent {
            try join(.local(event[MessageSent.Fields.message]), event.conversationNumber, &rows)
        }
        try join(.server(event.serverID.copied), event.conversationNumber, &rows)
    }

    private func join(_ name: MessageName, _ conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        guard try rows.snapshot.hasDetails(of: name, in: conversation) else { return }
        let names = try rows.snapshot.names(for: name, in: conversation)
        guard let own = names.first, names != [name] else { return }
        let joined = JoinedNames(old: name, current: names, conversation: conversation)
        try joinReactions(joined, &rows)
        try join(Self.reactionSets, joined, &rows) { $0.join($1) }
        try join(Self.metadata, joined, &rows) { $0.join($1) }
        try join(Self.receipts, joined, &rows) { $0.join($1) }
        try join(Self.readCounts, joined, &rows) { $0.join($1) }
        try join(Self.deliveredCounts, joined, &rows) { $0.count = max($0.count, $1.count) }
        try join(Self.marks, joined, &rows, put: Self.setMark) { if $1.holds(against: $0) { $0 = $1 } }
        try join(Self.edits, joined, &rows) { _, _ in }
        // The file of a repeat is its original's only once it is recorded again.
        let renamed = JoinedNames(old: name, current: [own], conversation: conversation)
        try join(Self.files, renamed, &rows, put: Self.setFile) { $0.join($1) }
    }

    /// The later of two sets of all reactions replaces reactions that were recorded under the other name.
    private func joinReactions(_ names: JoinedNames, _ rows: inout FoldRows) throws {
        let set = try rows.snapshot.row(MessageDetails.reactionSets, DetailKey(of: names.old, in: names.conversation))
        var later: [MessageName: (set: LatestValue<NoValue>, counted: Set<[UInt8]>)] = [:]
        for name in names.others {
            let known = try rows.snapshot.row(MessageDetails.reactionSets, DetailKey(of: name, in: names.conversation))
            if let set, known.map({ $0.isEarlier(than: set) }) ?? true {
                try replaceReactions(of: name, by: set, rows.snapshot.countedAlone(by: set), names.conversation, &rows)
            } else if let known {
                later[name] = (known, try rows.snapshot.countedAlone(by: known))
            }
        }
        try join(Self.reactions, names, &rows) { name, part, row in
            guard let (set, counted) = later[name], row.value.since <= set.time else { return row }
            return row.replaced(by: set, countsOthers: counted.contains(part.reaction))
        } joining: {
            $0.join($1)
        }
    }

    /// - Parameters:
    ///   - left: The part of a row that belongs to another name as well; nil for nothing.
    ///   - put: Writes a row in place of another; nil if nothing else changes with it.
    private func join<Part: DetailPart, Row: ViewRow>(
        _ table: Table<DetailKey<Part>, Row>, _ names: JoinedNames, _ rows: inout FoldRows,
        left: (_ name: MessageName, Part, Row) -> Row? = { _, _, row in row },
        put: ((DetailKey<Part>, _ old: Row?, _ row: Row?, inout FoldRows) throws -> Void)? = nil,
        joining join: (inout Row, Row) -> Void
    ) throws {
        let put = put ?? { key, _, row, rows in rows.set(table, key, row) }
        for (part, row) in try rows.snapshot.details(table, of: names.old, in: names.conversation) {
            for name in names.others {
                guard let row = left(name, part, row) else { continue }
                let key = DetailKey(part, of: name, in: names.conversation)
                let known = try rows.snapshot.row(table, key)
                var joined = known ?? row
                join(&joined, row)
                try put(key, known, joined, &rows)
            }
            if names.isEnded { try put(DetailKey(part, of: names.old, in: names.conversation), row, nil, &rows) }
        }
    }
}

/// A name and those under which the facts about its message are kept from now on.
private struct JoinedNames {
    let old: MessageName
    let current: [MessageName]
    let conversation: ConversationNumber

    var others: [MessageName] { current.filter { $0 != old } }
    /// Whether the old name is none of the message any more.
    var isEnded: Bool { !current.contains(old) }
}

extension ViewSnapshot {
    /// The message that a name denotes; nil if the conversation has none up to this position.
    borrowing func local(of name: MessageName, in conversation: ConversationNumber) throws -> LocalMessageID? {
        let local: LocalMessageID?
        switch name {
        case .local(let named): local = named
        case .server(let id): local = try self.local(of: id.span.bytes, in: conversation)
        }
        guard let local, try self.name(of: local, in: conversation) != nil else { return nil }
        return local
    }

    /// The name of a message; nil if the conversation has no such message up to this position.
    borrowing func name(of local: LocalMessageID, in conversation: ConversationNumber) throws -> MessageName? {
        guard local.rawValue <= position.rawValue, let record = try log.record(at: Position(local.rawValue)),
            record.conversationNumber == conversation, record.type.isMessage
        else { return nil }
        if record.type == .messageReceived { return .server(record.serverID.copied) }
        let acknowledged = try record.type == .messageSendQueued ? row(Messages.states, local)?.serverID ?? [] : []
        return acknowledged.isEmpty ? .local(local) : .server(acknowledged)
    }

    /// The names that keep what is recorded of the message that a name denotes: its own, and last its original's if it
    /// is a repeat. None for a local id that is none of the conversation's.
    borrowing func names(for named: MessageName, in conversation: ConversationNumber) throws -> [MessageName] {
        let local: LocalMessageID?
        switch named {
        case .local(let id): local = id
        case .server(let id): local = try self.local(of: id.span.bytes, in: conversation)
        }
        guard let local, let own = try name(of: local, in: conversation) else {
            if case .server = named { return [named] }
            return []
        }
        guard let original = try original(of: local), let name = try name(of: original, in: conversation) else {
            return [own]
        }
        return [own, name]
    }

    /// Whether anything was recorded under a name.
    fileprivate borrowing func hasDetails(of name: MessageName, in conversation: ConversationNumber) throws -> Bool {
        let message = NamedMessage(conversation: conversation, name: name)
        var cursor = try rows(MessageDetails.reactions, from: message)
        return try cursor.next() && cursor.key.removing(message.bytes) != nil
    }

    /// The reactions for which a set of all counts more users than it names.
    fileprivate borrowing func countedAlone(by set: LatestValue<NoValue>) throws -> Set<[UInt8]> {
        let reported = try record(at: Position(set.position), namedBy: MessageDetails.reactionSets.viewTable)
        return MessageDetails.reported(by: reported).counted
    }
}
