@_spi(Storage) internal import MessageStoreLog

/// The kind of a row of `messageDetails`: which facts about a message it holds.
enum DetailKind: UInt8, RowValue {
    case reaction = 1
    case metadata, receipt, readCounts, reactionSet, deliveredCount, receiptsSent, mark, edit, file
}

/// The beginning of the keys of all facts about a message.
struct NamedMessage: ViewKey {
    var conversation = ConversationNumber.none
    var name = MessageName.server([])

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.countedMessage(&name)
    }
}

/// The beginning of the keys of the facts of one kind about a message.
struct DetailPrefix: ViewKey {
    var message = NamedMessage()
    var kind = DetailKind.reaction

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        message.describe(&parts)
        parts.part("kind", &kind)
    }
}

/// The key of a row of `messageDetails`.
struct DetailKey<Part: DetailPart>: ViewKey {
    private(set) var prefix = DetailPrefix(kind: Part.kind)
    var part = Part()

    init() {}

    init(_ part: Part = Part(), of name: MessageName, in conversation: ConversationNumber) {
        prefix.message = NamedMessage(conversation: conversation, name: name)
        self.part = part
    }

    var message: NamedMessage { prefix.message }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        prefix.describe(&parts)
        part.describe(&parts)
    }

    var isPlausible: Bool { prefix.kind == Part.kind }

    /// Reactions, and the keys of pairs, are hidden after the kind.
    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? {
        { key in
            let lengthAt = MemoryLayout<UInt32>.size
            guard lengthAt < key.count else { return .max }
            let nameLength = key[lengthAt] == 0 ? MemoryLayout<UInt64>.size : Int(key[lengthAt])
            let kindAt = lengthAt + 1 + nameLength
            guard kindAt < key.count, let kind = DetailKind(rawValue: key[kindAt]) else { return .max }
            return kind == .reaction || kind == .metadata ? kindAt + 1 : .max
        }
    }

    static var forms: [DetailKey] { [DetailKey(of: .server([0]), in: .none)] }
}

/// The part of a key that distinguishes rows of one kind and message.
protocol DetailPart: Equatable, Sendable {
    static var kind: DetailKind { get }

    init()

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable)
}

extension DetailPart {
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {}
}

/// A reaction and who gave it.
struct ReactionPart: DetailPart {
    static let kind = DetailKind.reaction
    var reaction: [UInt8] = []
    var user = UserNumber.none

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.bytes("reaction", &reaction, count: -MemoryLayout<UserNumber>.size, .words)
        parts.part("user", &user, .user)
    }
}

/// The key of a pair.
struct MetadataPart: DetailPart {
    static let kind = DetailKind.metadata
    var key = ""

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.string("key", &key)
    }
}

/// Who received or read the message.
struct ReceiptPart: DetailPart {
    static let kind = DetailKind.receipt
    var member = UserNumber.none

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("member", &member, .user)
    }
}

struct ReadCountsPart: DetailPart {
    static let kind = DetailKind.readCounts
}

struct ReactionSetPart: DetailPart {
    static let kind = DetailKind.reactionSet
}

struct DeliveredCountPart: DetailPart {
    static let kind = DetailKind.deliveredCount
}

/// Of the conversation, so with the local id 0.
struct ReceiptsSentPart: DetailPart {
    static let kind = DetailKind.receiptsSent
}

struct MarkPart: DetailPart {
    static let kind = DetailKind.mark
    var mark = MessageMark.pin

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("mark", &mark)
    }
}

/// When a content was changed, and the event that recorded it.
struct EditPart: DetailPart {
    static let kind = DetailKind.edit
    /// In milliseconds since 1970.
    var time: UInt64 = 0
    var position = Position.origin

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("time", &time, .time)
        parts.part("position", &position)
    }
}

/// The index of an attachment.
struct FilePart: DetailPart {
    static let kind = DetailKind.file
    var index: UInt8 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &index)
    }
}

extension MessageDetails {
    static var reactions: Table<DetailKey<ReactionPart>, ReactionRow> { Table("messageDetails", 24, .sealed) }
    static var metadata: Table<DetailKey<MetadataPart>, LatestValue<PairValue>> { Table(in: reactions) }
    static var receipts: Table<DetailKey<ReceiptPart>, ReceiptTimes> { Table(in: reactions) }
    static var readCounts: Table<DetailKey<ReadCountsPart>, LatestValue<ReadCountsValue>> {
        Table(in: reactions)
    }
    /// As of when the server last reported all reactions, and where.
    static var reactionSets: Table<DetailKey<ReactionSetPart>, LatestValue<NoValue>> { Table(in: reactions) }
    static var deliveredCounts: Table<DetailKey<DeliveredCountPart>, CountValue> { Table(in: reactions) }
    /// Up to when this account reported to others that it has read a conversation.
    static var receiptsSent: Table<DetailKey<ReceiptsSentPart>, NumberRow> { Table(in: reactions) }
    static var marks: Table<DetailKey<MarkPart>, MarkRow> { Table(in: reactions) }
    static var edits: Table<DetailKey<EditPart>, NoValue> { Table(in: reactions) }
    static var files: Table<DetailKey<FilePart>, LocalFileRow> { Table(in: reactions) }

    /// The received messages that this account owes a receipt for.
    static var owed: Table<PlaceKey, NumberRow> { Table("owedReceipts", 25) }
    /// The marked messages of a scope, the one that was marked last first.
    static var marked: Table<MarkedKey, NoValue> { Table("markedMessages", 26) }
    static var fileOrder: Table<RankedFileKey, NoValue> { Table("localFileOrder", 32) }
    /// How many files this device keeps, by conversation and of all.
    static var fileTotals: Table<ConversationNumber, LocalFileTotal> { Table("localFileTotals", 33, .summed) }
}

/// A value; the latest by the server's clock stays, among equals the latest in the log.
struct LatestValue<Value: ViewRow>: ViewRow {
    /// Whether the value was set; else it was taken away.
    var isSet = false
    var time: Int64 = 0
    var position: UInt64 = 0
    var value = Value()

    init() {}

    init(isSet: Bool, by event: RecordView, value: Value = Value()) {
        self.isSet = isSet
        time = event.serverTime?.milliseconds ?? 0
        position = event.position.rawValue
        self.value = value
    }

    func isEarlier(than other: Self) -> Bool { (time, position) < (other.time, other.position) }

    /// The later value is kept.
    mutating func join(_ other: Self) {
        if isEarlier(than: other) { self = other }
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("isSet", &isSet)
        parts.part("time", &time, .time)
        parts.part("position", &position)
        value.describe(&parts)
    }
}

/// The value of a pair attached to a message.
struct PairValue: ViewRow {
    var value = ""

    init() {}

    init(_ value: String) { self.value = value }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.string("value", &value)
    }
}

/// How many members have read a message and how many have not, as the server reported.
struct ReadCountsValue: ViewRow {
    var read: UInt32 = 0
    var unread: UInt32 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("read", &read)
        parts.part("unread", &unread)
    }
}

/// A number that the server reported.
struct CountValue: ViewRow {
    var count: UInt32 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("count", &count)
    }
}

/// When a member first received and first read a message (d19).
struct ReceiptTimes: ViewRow {
    static let none: Int64 = -1
    /// It happened at an unknown time; any known time comes before it.
    static let unreported = Int64.max

    var delivered = Self.none
    var read = Self.none

    init() {}

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("delivered", &delivered, .time)
        parts.part("read", &read, .time)
    }

    /// A message that was read was delivered, too.
    mutating func note(isRead: Bool, at time: Timestamp?) {
        let time = time.flatMap { $0 == .unknown ? nil : $0.milliseconds } ?? Self.unreported
        delivered = Self.first(delivered, time)
        if isRead { read = Self.first(read, time) }
    }

    mutating func join(_ other: ReceiptTimes) {
        delivered = Self.first(delivered, other.delivered)
        read = Self.first(read, other.read)
    }

    private static func first(_ one: Int64, _ other: Int64) -> Int64 {
        one == none ? other : other == none ? one : min(one, other)
    }
}

extension ViewSnapshot {
    /// The message that is shown for `local`: a message and the echo that came before its acknowledgement are one.
    borrowing func shownMessage(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> LocalMessageID {
        guard case .server(let id)? = try name(of: local, in: conversation) else { return local }
        return try self.local(of: id.span.bytes, in: conversation) ?? local
    }

    /// The message that took the place of a deleted one; of any other the message itself.
    borrowing func successor(of local: LocalMessageID, in conversation: ConversationNumber) throws -> LocalMessageID {
        try isDeleted(local) ? shownMessage(local, in: conversation) : local
    }

    /// Calls `body` with the rows of one kind of a message; of a repeat with its original's.
    borrowing func forEachDetail<Part: DetailPart, Row: ViewRow>(
        _ table: Table<DetailKey<Part>, Row>, of message: MessageReference, in conversation: ConversationKey,
        _ body: (Part, Row) throws -> Void
    ) throws {
        guard let number = try symbols.number(of: conversation),
            let name = try names(for: MessageName(message), in: number).last
        else { return }
        for (part, row) in try details(table, of: name, in: number) { try body(part, row) }
    }

    /// The rows of one kind under a name.
    borrowing func details<Part: DetailPart, Row: ViewRow>(
        _ table: Table<DetailKey<Part>, Row>, of name: MessageName, in conversation: ConversationNumber
    ) throws -> [(part: Part, row: Row)] {
        try allRows(table, under: DetailKey<Part>(of: name, in: conversation).prefix).map { ($0.key.part, $0.row) }
    }
}
