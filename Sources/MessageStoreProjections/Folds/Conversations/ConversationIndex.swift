@_spi(Storage) internal import MessageStoreLog

/// The projection of what conversations are found by: members, name, creator, id, tags and attributes.
struct ConversationIndex: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .conversationIndex, version: 3, events: .indexChanges, reads: [.conversationList, .members],
        tables: index)
    static var index: Table<IndexRowKey, NoValue> { Table("conversationIndex", 16, .sealed) }

    private struct MemberSet {
        /// nil if the rows have none.
        let original: ConversationIndexKey?
        var key: ConversationIndexKey?
    }

    /// The member sets that changed since the last finish: whoever joins a conversation changes its set, and only the
    /// last one is of use.
    private var memberSets = ConversationCache<MemberSet>()

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        for change in changes.index {
            if change.key.kind == .memberSet {
                noteMemberSet(change)
            } else {
                set(change.key, change.conversation, change.isIndexed, &rows)
            }
        }
    }

    private mutating func noteMemberSet(_ change: IndexChange) {
        let key = change.isIndexed ? change.key : nil
        if let slot = memberSets.slot(of: change.conversation) {
            memberSets[slot].key = key
        } else {
            // A set that the rows have is taken out before another one is entered.
            let original = change.isIndexed ? nil : change.key
            _ = memberSets.insert(MemberSet(original: original, key: key), of: change.conversation)
        }
    }

    private func set(
        _ key: ConversationIndexKey, _ conversation: ConversationNumber, _ isIndexed: Bool, _ rows: inout FoldRows
    ) {
        rows.set(Self.index, IndexRowKey(key: key, conversation: conversation), isThere: isIndexed)
    }

    var openConversations: Int { memberSets.conversations.count }

    /// Writes by which member sets conversations are found.
    mutating func finishBatch(_ rows: inout FoldRows) {
        for (conversation, entry) in zip(memberSets.conversations, memberSets.entries)
        where entry.key != entry.original {
            if let old = entry.original { set(old, conversation, false, &rows) }
            if let new = entry.key { set(new, conversation, true, &rows) }
        }
        memberSets.removeAll()
    }
}

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

    /// A hash of a name or an id would say whether a guess of it is right.
    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? {
        { key in
            switch key.first.flatMap(ConversationIndexKey.Kind.init) {
            case .member, .memberSet, .creator: .max
            default: 1
            }
        }
    }

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

/// The bytes of a row of `conversationInfo`; only what a condition asks for is read.
struct ConversationInfoFields {
    private let bytes: [UInt8]

    /// - Throws: ``StoreError`` with code `viewsDamaged` where the bytes are no such row.
    init(of conversation: ConversationNumber, _ snapshot: borrowing ViewSnapshot) throws {
        let table = ConversationList.info
        bytes = try snapshot.row(table.viewTable, at: conversation.rawValue)?.copied ?? []
        var reader = FieldReader(bytes.span.bytes)
        while reader.next() != nil {}
        if reader.isMalformed { throw StoreError.unreadableRow(of: table, at: conversation) }
    }

    var name: String? { FieldReader(bytes.span.bytes).firstString(ConversationFields.name.number) }

    var creator: UserNumber {
        let number = FieldReader(bytes.span.bytes).firstNumber(ConversationFields.creator.number) ?? 0
        return UserNumber(rawValue: UInt32(truncatingIfNeeded: number))
    }

    func hasTag(_ tag: String) -> Bool {
        tag.withUTF8Bytes { tag in
            let tag = RawSpan(_unsafeBytes: tag)
            var reader = FieldReader(bytes.span.bytes)
            while let field = reader.next() {
                if field.id == ConversationInfo.tagField, field.bytes.isEqual(to: tag) { return true }
            }
            return false
        }
    }

    /// The attribute's value that a query compares, the host's strings first; nil if there is none.
    func value(ofAttribute name: String) -> JSONValue? {
        name.withUTF8Bytes { name in
            let name = RawSpan(_unsafeBytes: name)
            let fields = FieldReader(bytes.span.bytes)
            if let pairs = fields.first(ConversationFields.indexed.number),
                let string = IndexedAttributes.value(of: name, in: pairs.bytes)
            {
                return .string(string)
            }
            guard let values = fields.first(ConversationInfo.valueField) else { return nil }
            return AttributeValues.value(of: name, in: values.bytes)
        }
    }
}

extension ProjectionID {
    /// Conversations by member, name, creator, tag and attribute.
    public static let conversationIndex: ProjectionID = "ConversationIndex"
}
