/// A value by which conversations are found.
///
/// Values are hashed, so what an index finds is verified against the conversation's rows.
struct ConversationIndexKey: Hashable, ViewKey {
    enum Kind: UInt8, RowValue {
        case member = 1
        /// The exact set of all members.
        case memberSet, name, creator, id, attribute, tag
    }

    private(set) var kind = Kind.member
    private(set) var value: UInt64 = 0

    init() {}

    private init(_ kind: Kind, _ value: UInt64) {
        self.kind = kind
        self.value = value
    }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("kind", &kind)
        parts.part("value", &value)
    }

    static func member(_ user: UserNumber) -> Self { Self(.member, UInt64(user.rawValue)) }
    static func memberSet(_ hash: UInt64) -> Self { Self(.memberSet, hash) }
    static func name(_ name: String) -> Self { Self(.name, XXH64.hash(name)) }
    static func creator(_ user: UserNumber) -> Self { Self(.creator, UInt64(user.rawValue)) }
    static func id(_ id: String) -> Self { Self(.id, XXH64.hash(id)) }
    static func tag(_ tag: String) -> Self { Self(.tag, XXH64.hash(tag)) }
    static func attribute(_ name: String, _ value: JSONValue) -> Self {
        let seed = XXH64.hash(name)
        if case .string(let string) = value { return Self(.attribute, XXH64.hash(string, seed: seed)) }
        let bytes = value.indexBytes ?? []
        return Self(.attribute, XXH64.hash(bytes.span.bytes, seed: ~seed))
    }
}

/// The key of a row of `conversationIndex`: a value and a conversation that has it.
struct IndexRowKey: ViewKey {
    var key = ConversationIndexKey()
    var conversation = ConversationNumber.none

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        key.describe(&parts)
        parts.part("conversation", &conversation, .conversation)
    }
}

extension ConversationInfo {
    /// By what the conversation is found.
    var indexKeys: Set<ConversationIndexKey> {
        var keys = Set(tags.map { ConversationIndexKey.tag($0) })
        for (name, value) in indexed { keys.insert(.attribute(name, .string(value))) }
        for (name, value) in values.pairs {
            guard case .array(let elements) = value else {
                keys.insert(.attribute(name, value))
                continue
            }
            for element in elements { keys.insert(.attribute(name, element)) }
        }
        if let name { keys.insert(.name(name)) }
        if creator != .none { keys.insert(.creator(creator)) }
        return keys
    }
}
