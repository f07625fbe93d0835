@_spi(Storage) internal import MessageStoreLog

/// The kind of a row of `messageDetails`: which facts about a message it holds.
enum DetailKind: UInt8, RowValue {
    typealias Stored = UInt8
    case reaction = 1
    case metadata, receipt, readCounts, receiptFacts, reactionSet, deliveredCount, receiptsSent
}

/// The beginning of the keys of one kind of what is kept of the message that the server calls `serverID`.
struct DetailPrefix: ViewKey {
    var conversation = ConversationNumber.none
    var serverID: [UInt8] = []
    var kind = DetailKind.reaction

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        var length = UInt8(clamping: serverID.count)
        parts.part("conversation", &conversation, .conversation)
        parts.part("serverIDLength", &length, .length)
        parts.bytes("serverID", &serverID, count: Int(length), .serverID)
        parts.part("kind", &kind)
    }
}

/// The key of a row of `messageDetails`.
struct DetailKey<Part: DetailPart>: ViewKey {
    private(set) var message = DetailPrefix(kind: Part.kind)
    var part = Part()

    init() {}

    init(_ part: Part = Part(), of serverID: [UInt8], in conversation: ConversationNumber) {
        (message.serverID, message.conversation) = (serverID, conversation)
        self.part = part
    }

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        message.describe(&parts)
        part.describe(&parts)
    }

    var isPlausible: Bool { message.kind == Part.kind }
}

/// The part of a key that distinguishes rows of one kind and message.
protocol DetailPart: Equatable, Sendable {
    static var kind: DetailKind { get }

    init()

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable)
}

extension DetailPart {
    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {}
}

/// A reaction and who gave it.
struct ReactionPart: DetailPart {
    static let kind = DetailKind.reaction
    var reaction: [UInt8] = []
    var user = UserNumber.none

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.bytes("reaction", &reaction, count: -MemoryLayout<UserNumber>.size, .words)
        parts.part("user", &user, .user)
    }
}

/// The key of a pair.
struct MetadataPart: DetailPart {
    static let kind = DetailKind.metadata
    var key = ""

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.string("key", &key)
    }
}

/// Who received or read the message.
struct ReceiptPart: DetailPart {
    static let kind = DetailKind.receipt
    var member = UserNumber.none

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("member", &member, .user)
    }
}

struct ReadCountsPart: DetailPart {
    static let kind = DetailKind.readCounts
}

struct ReceiptFactsPart: DetailPart {
    static let kind = DetailKind.receiptFacts
}

struct ReactionSetPart: DetailPart {
    static let kind = DetailKind.reactionSet
}

struct DeliveredCountPart: DetailPart {
    static let kind = DetailKind.deliveredCount
}

/// Of the conversation, so with an empty server id.
struct ReceiptsSentPart: DetailPart {
    static let kind = DetailKind.receiptsSent
}

extension MessageDetails {
    static var reactions: Table<DetailKey<ReactionPart>, ReactionRow> { Table("messageDetails", 24) }
    static var metadata: Table<DetailKey<MetadataPart>, LatestValue<PairValue>> { Table("messageDetails", 24) }
    static var receipts: Table<DetailKey<ReceiptPart>, ReceiptTimes> { Table("messageDetails", 24) }
    static var readCounts: Table<DetailKey<ReadCountsPart>, LatestValue<ReadCountsValue>> {
        Table("messageDetails", 24)
    }
    static var receiptFacts: Table<DetailKey<ReceiptFactsPart>, ReceiptFacts> { Table("messageDetails", 24) }
    /// As of when the server last reported all reactions, and where.
    static var reactionSets: Table<DetailKey<ReactionSetPart>, LatestValue<NoValue>> { Table("messageDetails", 24) }
    static var deliveredCounts: Table<DetailKey<DeliveredCountPart>, CountValue> { Table("messageDetails", 24) }
    /// Up to when this account reported to others that it has read a conversation.
    static var receiptsSent: Table<DetailKey<ReceiptsSentPart>, NumberRow> { Table("messageDetails", 24) }
    /// The received messages that this account owes a receipt for.
    static var owed: Table<PlaceKey, NumberRow> { Table("owedReceipts", 25) }
    /// What was recorded of receipts for messages that have not arrived.
    static var parkedFacts: Table<ServerIDKey, ReceiptFacts> { Table("parkedReceipts", 26) }
}
