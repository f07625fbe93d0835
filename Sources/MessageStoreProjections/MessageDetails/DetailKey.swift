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
    static var reactions: Table<DetailKey<ReactionPart>, ReactionRow> { Table("messageDetails", 24) }
    static var metadata: Table<DetailKey<MetadataPart>, LatestValue<PairValue>> { Table("messageDetails", 24) }
    static var receipts: Table<DetailKey<ReceiptPart>, ReceiptTimes> { Table("messageDetails", 24) }
    static var readCounts: Table<DetailKey<ReadCountsPart>, LatestValue<ReadCountsValue>> {
        Table("messageDetails", 24)
    }
    /// As of when the server last reported all reactions, and where.
    static var reactionSets: Table<DetailKey<ReactionSetPart>, LatestValue<NoValue>> { Table("messageDetails", 24) }
    static var deliveredCounts: Table<DetailKey<DeliveredCountPart>, CountValue> { Table("messageDetails", 24) }
    /// Up to when this account reported to others that it has read a conversation.
    static var receiptsSent: Table<DetailKey<ReceiptsSentPart>, NumberRow> { Table("messageDetails", 24) }
    static var marks: Table<DetailKey<MarkPart>, MarkRow> { Table("messageDetails", 24) }
    static var edits: Table<DetailKey<EditPart>, NoValue> { Table("messageDetails", 24) }
    static var files: Table<DetailKey<FilePart>, LocalFileRow> { Table("messageDetails", 24) }

    /// The received messages that this account owes a receipt for.
    static var owed: Table<PlaceKey, NumberRow> { Table("owedReceipts", 25) }
    /// The marked messages of a scope, the one that was marked last first.
    static var marked: Table<MarkedKey, NoValue> { Table("markedMessages", 26) }
    static var fileOrder: Table<RankedFileKey, NoValue> { Table("localFileOrder", 32) }
    /// How many files this device keeps, by conversation and of all.
    static var fileTotals: Table<ConversationNumber, LocalFileTotal> { Table("localFileTotals", 33) }
}
