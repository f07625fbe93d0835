@_spi(Storage) internal import MessageStoreLog

/// What the log's symbols, and the rows of the views, have in place of a name.
protocol SymbolNumber: RawRepresentable, Hashable, Comparable, Sendable, RowValue
where RawValue == UInt32, Stored == UInt32 {
    init(rawValue: UInt32)
}

extension SymbolNumber {
    /// The number of no name.
    @inline(__always) static var none: Self { Self(rawValue: 0) }

    var words: String { String(rawValue) }

    @inline(__always) static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The number of a conversation, in the order in which the log first named them.
struct ConversationNumber: SymbolNumber {
    let rawValue: UInt32
    @inline(__always) init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension ConversationNumber: ViewKey {
    init() { self = .none }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &self, .conversation)
    }

    /// A key after all that begin with the conversation.
    var end: [UInt8] {
        rawValue == .max ? [UInt8](repeating: 0xFF, count: 20) : ConversationNumber(rawValue: rawValue + 1).bytes
    }
}

/// The number of a user, in the order in which the log first named them.
struct UserNumber: SymbolNumber, ViewKey {
    let rawValue: UInt32
    @inline(__always) init(rawValue: UInt32) { self.rawValue = rawValue }

    init() { self = .none }

    /// The number of this account, which is the first user that every log names.
    static let account = UserNumber(rawValue: 1)

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("user", &self, .user)
    }
}

extension RecordView {
    /// The number of the conversation that the event belongs to.
    @inline(__always) var conversationNumber: ConversationNumber { ConversationNumber(rawValue: conversation) }

    /// The number of who did it.
    @inline(__always) var actorNumber: UserNumber { UserNumber(rawValue: actor) }
}

extension RawSpan {
    /// The number of the conversation with which a key begins.
    @inline(__always) var conversation: ConversationNumber? {
        loadBigEndian(at: 0, as: UInt32.self).map { ConversationNumber(rawValue: $0) }
    }
}

extension SymbolTable {
    /// The number of a conversation that the log has named.
    func number(of conversation: ConversationKey) throws -> ConversationNumber? {
        try existingNumber(of: conversation).map { ConversationNumber(rawValue: $0) }
    }

    /// The number of a user that the log has named.
    func number(of user: UserID) throws -> UserNumber? {
        try existingNumber(of: user).map { UserNumber(rawValue: $0) }
    }

    /// The name of a conversation.
    func conversation(_ number: ConversationNumber) throws -> ConversationKey { try conversation(number.rawValue) }

    /// The name of a user.
    func user(_ number: UserNumber) throws -> UserID { try user(number.rawValue) }
}
