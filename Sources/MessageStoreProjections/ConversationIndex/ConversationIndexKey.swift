@_spi(Storage) internal import MessageStoreLog

/// A value by which conversations are found.
///
/// A row of `conversationIndex` is this key and a conversation's number. Values are hashed, so what an index finds is
/// verified against the conversation's rows.
struct ConversationIndexKey: Hashable {
    enum Kind: UInt8 {
        case member = 1
        /// The exact set of all members.
        case memberSet, name, creator, id, attribute, tag
    }

    let kind: Kind
    let value: UInt64

    private init(_ kind: Kind, _ value: UInt64) {
        self.kind = kind
        self.value = value
    }

    static func member(_ user: UserNumber) -> Self { Self(.member, UInt64(user.rawValue)) }
    static func memberSet(_ hash: UInt64) -> Self { Self(.memberSet, hash) }
    static func name(_ name: String) -> Self { Self(.name, XXH64.hash(name)) }
    static func creator(_ user: UserNumber) -> Self { Self(.creator, UInt64(user.rawValue)) }
    static func id(_ id: String) -> Self { Self(.id, XXH64.hash(id)) }
    static func tag(_ tag: String) -> Self { Self(.tag, XXH64.hash(tag)) }
    static func attribute(_ key: String, _ value: String) -> Self {
        Self(.attribute, XXH64.hash(value, seed: XXH64.hash(key)))
    }
}

extension ConversationInfo {
    /// By what the conversation is found.
    var indexKeys: Set<ConversationIndexKey> {
        var keys = Set(tags.map { ConversationIndexKey.tag($0) })
        for (key, value) in indexed { keys.insert(.attribute(key, value)) }
        if let name { keys.insert(.name(name)) }
        if creator != .none { keys.insert(.creator(creator)) }
        return keys
    }
}
