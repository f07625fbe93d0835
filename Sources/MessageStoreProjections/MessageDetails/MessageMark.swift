/// The marks that people put on messages.
enum MessageMark: UInt8, CaseIterable, RowValue {
    case pin = 1
    case star = 2

    /// The scopes in which marked messages are listed: their conversation, and for stars all conversations.
    func scopes(_ conversation: ConversationNumber) -> [ConversationNumber] {
        self == .star ? [conversation, .none] : [conversation]
    }
}

/// The key of a row of `markedMessages`: the messages of a scope with a mark, the one that was marked last first.
struct MarkedKey: ViewKey {
    var scope = ConversationNumber.none
    var mark = MessageMark.pin
    var invertedTime: UInt64 = 0
    var conversation = ConversationNumber.none
    var name = MessageName.server([])

    var time: Timestamp { Timestamp(milliseconds: Int64(clamping: ~invertedTime)) }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("scope", &scope)
        parts.part("mark", &mark)
        parts.part("invertedTime", &invertedTime)
        parts.part("conversation", &conversation, .conversation)
        parts.message(&name)
    }

    var isPlausible: Bool { name != .server([]) }

    static var forms: [MarkedKey] { MessageName.forms.map { MarkedKey(name: $0) } }
}

/// When a mark was last set or taken away, and by whom.
struct MarkRow: ViewRow {
    /// In milliseconds since 1970; at least 1.
    var time: UInt64 = 0
    var isSet = false
    var actor = UserNumber.none
    /// The position of the choice.
    var position: UInt64 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("time", &time, .time)
        parts.part("isSet", &isSet)
        parts.part("actor", &actor, .user)
        parts.part("position", &position)
    }

    /// Whether it holds against another choice: the later one does, of two of one time the one that sets, then the
    /// later in the log.
    func holds(against other: MarkRow) -> Bool {
        (time, isSet ? 1 : 0, position) > (other.time, other.isSet ? 1 : 0, other.position)
    }
}
