@_spi(Storage) internal import MessageStoreLog

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

extension MessageDetails {
    /// Notes a choice to mark a message where it takes effect: marks are merged by their time as settings are (d41).
    /// Whether a marked message is shown is seen when the marks are read.
    func choose(
        _ mark: MessageMark, _ isSet: Bool, _ time: Timestamp?, _ event: RecordView, _ rows: inout FoldRows
    ) throws {
        let chosen = MarkRow(
            time: event.timeOfChoice(time), isSet: isSet, actor: event.actorNumber, position: event.position.rawValue)
        try forEachName(of: event, &rows) { name, rows in
            let key = DetailKey(MarkPart(mark: mark), of: name, in: event.conversationNumber)
            let old = try rows.snapshot.row(Self.marks, key)
            let holds = time == nil || old?.holds(against: chosen) != true
            rows.reports?.weigh(
                isSet, of: Self.marks, at: key, chosen.time, named: time, holds: holds, by: .messageDetails, event)
            guard holds else { return }
            Self.setMark(key, from: old, to: chosen, &rows)
        }
    }

    static func setMark(
        _ key: DetailKey<MarkPart>, from old: MarkRow?, to row: MarkRow?, _ rows: inout FoldRows
    ) {
        rows.set(marks, key, row)
        let (mark, message) = (key.part.mark, key.message)
        for scope in mark.scopes(message.conversation) {
            var listed = MarkedKey(scope: scope, mark: mark, conversation: message.conversation, name: message.name)
            if let old, old.isSet {
                listed.invertedTime = ~old.time
                rows.remove(marked, listed)
            }
            if let row, row.isSet {
                listed.invertedTime = ~row.time
                rows.put(marked, listed, NoValue())
            }
        }
    }
}

/// A message that is pinned or starred.
public struct MarkedMessage: Sendable, Hashable, Identifiable {
    /// The message.
    public let message: Message
    /// When it was marked: the time that the event names, else that of its recording.
    public let time: Timestamp
    /// Who pinned it, if known; nil for stars.
    public let actor: UserID?

    /// The message's id.
    public var id: LocalMessageID { message.id }

    /// Creates a marked message, for previews and tests.
    public init(message: Message, time: Timestamp, actor: UserID? = nil) {
        self.message = message
        self.time = time
        self.actor = actor
    }
}

extension Views {
    /// The pinned messages of a conversation, the one that was pinned last first.
    ///
    /// Messages that have not come, are not shown or were recalled are not among them. Costs a seek, and a few point
    /// reads for each message that is returned or passed over. Live:
    /// `observe { try $0.pinnedMessages(in: conversation).elements }`.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - last: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func pinnedMessages(
        in conversation: ConversationKey, after last: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<MarkedMessage> {
        try marked(.pin, in: conversation, after: last, limit: limit)
    }

    /// The messages that this account starred, the one that was starred last first.
    ///
    /// Messages that have not come or are not shown are not among them; recalled ones are. Costs as
    /// ``pinnedMessages(in:after:limit:)``.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages; nil for those of all conversations.
    ///   - last: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func starredMessages(
        in conversation: ConversationKey? = nil, after last: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<MarkedMessage> {
        try marked(.star, in: conversation, after: last, limit: limit)
    }

    /// Whether a message is pinned; false for one that is not shown or was recalled. Costs a few point reads.
    ///
    /// - Throws: `StoreError`.
    public borrowing func isPinned(_ message: MessageReference, in conversation: ConversationKey) throws -> Bool {
        try isMarked(.pin, message, in: conversation)
    }

    /// Whether this account starred a message; false for one that is not shown. Costs a few point reads.
    ///
    /// - Throws: `StoreError`.
    public borrowing func isStarred(_ message: MessageReference, in conversation: ConversationKey) throws -> Bool {
        try isMarked(.star, message, in: conversation)
    }

    private borrowing func isMarked(
        _ mark: MessageMark, _ reference: MessageReference, in conversation: ConversationKey
    ) throws -> Bool {
        guard let number = try snapshot.symbols.number(of: conversation),
            let name = try snapshot.names(for: MessageName(reference), in: number).first,
            let row = try snapshot.row(MessageDetails.marks, DetailKey(MarkPart(mark: mark), of: name, in: number)),
            row.isSet
        else { return false }
        return try shown(mark, name, in: number) != nil
    }

    private borrowing func marked(
        _ mark: MessageMark, in conversation: ConversationKey?, after last: PageCursor?, limit: Int
    ) throws -> Page<MarkedMessage> {
        try Self.check(limit: limit)
        var scope = ConversationNumber.none
        if let conversation {
            guard let number = try snapshot.symbols.number(of: conversation) else { return Page([]) }
            scope = number
        }
        let start: MarkedKey = try last?.key(.marked) ?? MarkedKey(scope: scope, mark: mark)
        guard start.scope == scope, start.mark == mark else { throw PageCursor.mismatch }
        var (found, keys): ([MarkedMessage], [MarkedKey]) = ([], [])
        var cursor = try snapshot.rows(MessageDetails.marked, from: start)
        while found.count <= limit, try cursor.next() {
            let key = try cursor.key(of: MessageDetails.marked)
            guard key.scope == scope, key.mark == mark else { break }
            let _: NoValue = try cursor.row(of: MessageDetails.marked)
            if key == start { continue }
            let choice = DetailKey(MarkPart(mark: mark), of: key.name, in: key.conversation)
            guard let row = try snapshot.row(MessageDetails.marks, choice) else {
                throw StoreError.unreadableRow(of: MessageDetails.marked.viewTable, at: cursor.key)
            }
            guard let message = try shown(mark, key.name, in: key.conversation) else { continue }
            found.append(
                MarkedMessage(
                    message: message, time: key.time,
                    actor: row.actor == .none ? nil : try snapshot.symbols.user(row.actor)))
            keys.append(key)
        }
        return Page(found, limit: limit) { _ in PageCursor(.marked, keys[limit - 1]) }
    }

    /// The message of a mark; nil if it is not shown, and where it was pinned and then recalled.
    private borrowing func shown(
        _ mark: MessageMark, _ name: MessageName, in conversation: ConversationNumber
    ) throws -> Message? {
        guard let local = try snapshot.local(of: name, in: conversation), let message = try message(local) else {
            return nil
        }
        return mark == .pin && message.isRecalled ? nil : message
    }
}
