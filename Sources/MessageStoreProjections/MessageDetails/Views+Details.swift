@_spi(Storage) public import MessageStoreLog

/// A reaction to a message and who gave it.
public struct Reaction: Sendable, Hashable {
    /// The reaction, such as an emoji.
    public let key: String
    /// Who gave it, the first one first.
    public let users: [UserID]

    /// Puts a reaction together, for previews and tests.
    public init(key: String, users: [UserID]) {
        self.key = key
        self.users = users
    }
}

extension Views {
    /// The reactions to a message, in the order in which they were first given by those who still give them.
    ///
    /// What was told of a server id is answered whether its message has come or not. A message that no server knows has
    /// none. Costs a step for each reaction ever given.
    ///
    /// - Parameters:
    ///   - message: The message, by either id.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func reactions(
        to message: MessageReference, in conversation: ConversationKey
    ) throws -> [Reaction] {
        var given: [(time: Int64, position: UInt64, key: [UInt8], user: UInt32)] = []
        try forEachDetail(.reaction, of: message, in: conversation) { key, ownKey, value in
            let row = try LatestValue<NoValue>(value, of: .messageDetails, at: key)
            let end = ownKey.byteCount - 4
            guard let user = ownKey.loadBigEndian(at: end, as: UInt32.self) else {
                throw StoreError.unreadableRow(of: .messageDetails, at: key)
            }
            if row.isSet { given.append((row.time, row.position, ownKey.extracting(0..<end).copied, user)) }
        }
        given.sort { ($0.time, $0.position) < ($1.time, $1.position) }
        var keys: [[UInt8]] = []
        var users: [[UInt8]: [UserID]] = [:]
        for reaction in given {
            if users[reaction.key] == nil { keys.append(reaction.key) }
            users[reaction.key, default: []].append(try symbols.user(reaction.user))
        }
        return keys.map { Reaction(key: String(decoding: $0, as: UTF8.self), users: users[$0] ?? []) }
    }

    /// The key-value pairs beside a message.
    ///
    /// What was told of a server id is answered whether its message has come or not. A message that no server knows has
    /// none.
    ///
    /// - Parameters:
    ///   - message: The message, by either id.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func expansion(
        of message: MessageReference, in conversation: ConversationKey
    ) throws -> [String: String] {
        var pairs: [String: String] = [:]
        try forEachDetail(.expansion, of: message, in: conversation) { key, ownKey, value in
            let row = try LatestValue<PairValue>(value, of: .messageDetails, at: key)
            if row.isSet { pairs[ownKey.string] = row.value.value }
        }
        return pairs
    }

    /// Calls `body` with the rows of one kind of a message: the whole key, its part behind the kind, and the value.
    // Not inlined: the optimiser of Swift 6.3.1 fails on the cursor's lifetime where it is.
    @inline(never)
    borrowing func forEachDetail(
        _ kind: DetailKind, of message: MessageReference, in conversation: ConversationKey,
        _ body: (_ key: RawSpan, _ ownKey: RawSpan, _ value: RawSpan) throws -> Void
    ) throws {
        guard let number = try symbols.existingNumber(of: conversation),
            let serverID = try serverID(of: message, in: number)
        else { return }
        let prefix = kind.prefix(number, serverID)
        var cursor = try rows(.messageDetails, from: prefix.span.bytes)
        while try cursor.next(), let ownKey = cursor.key.removing(prefix) {
            try body(cursor.key, ownKey, cursor.value)
        }
    }

    private borrowing func serverID(of message: MessageReference, in conversation: UInt32) throws -> [UInt8]? {
        switch message {
        case .server(let id): Array(id.rawValue.utf8)
        case .local(let local): try serverID(of: local, in: conversation)
        }
    }
}
