@_spi(Storage) public import MessageStoreLog

/// A reaction to a message and who gave it.
public struct Reaction: Sendable, Hashable {
    /// The reaction, such as an emoji.
    public let key: String
    /// Who gave it, the first one first.
    public let users: [UserID]

    /// Creates a reaction, for previews and tests.
    public init(key: String, users: [UserID]) {
        self.key = key
        self.users = users
    }
}

extension Views {
    /// The reactions to a message, in the order in which they were first given by those who still give them.
    ///
    /// What is known about a server id is returned even if its message has not arrived. A message that no server knows
    /// has none. Costs a step for each reaction ever given.
    ///
    /// - Parameters:
    ///   - message: The message, by either id.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func reactions(
        to message: MessageReference, in conversation: ConversationKey
    ) throws -> [Reaction] {
        var given: [(time: Int64, position: UInt64, key: [UInt8], user: UserNumber)] = []
        try snapshot.forEachDetail(.reaction, of: message, in: conversation) { key, ownKey, value in
            let row = try LatestValue<NoValue>(value, of: .messageDetails, at: key)
            let end = ownKey.byteCount - 4
            guard let user = ownKey.user(at: end) else {
                throw StoreError.unreadableRow(of: .messageDetails, at: key)
            }
            if row.isSet { given.append((row.time, row.position, ownKey.extracting(0..<end).copied, user)) }
        }
        given.sort { ($0.time, $0.position) < ($1.time, $1.position) }
        var keys: [[UInt8]] = []
        var users: [[UInt8]: [UserID]] = [:]
        for reaction in given {
            if users[reaction.key] == nil { keys.append(reaction.key) }
            users[reaction.key, default: []].append(try snapshot.symbols.user(reaction.user))
        }
        return keys.map { Reaction(key: String(decoding: $0, as: UTF8.self), users: users[$0] ?? []) }
    }

    /// The key-value pairs beside a message.
    ///
    /// What is known about a server id is returned even if its message has not arrived. A message that no server knows
    /// has none.
    ///
    /// - Parameters:
    ///   - message: The message, by either id.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func metadata(
        of message: MessageReference, in conversation: ConversationKey
    ) throws -> [String: String] {
        var pairs: [String: String] = [:]
        try snapshot.forEachDetail(.metadata, of: message, in: conversation) { key, ownKey, value in
            let row = try LatestValue<PairValue>(value, of: .messageDetails, at: key)
            if row.isSet { pairs[ownKey.string] = row.value.value }
        }
        return pairs
    }
}
