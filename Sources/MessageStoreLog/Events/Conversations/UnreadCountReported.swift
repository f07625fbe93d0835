/// The server's own count of unread messages, for clients that do not receive them all.
///
/// It replaces the store's own count of messages up to its place; the store counts later ones. Moving the read marker
/// to the place or beyond ends it. The place is `upTo`; without it the newer of the newest message that the store has
/// and `time`. Of two reports that have a `time` the later one applies, else the one that was recorded later.
///
/// As soon as the messages that it counts are known, which are the newest ones up to the place in a timeline without
/// gaps, the read marker moves just below them, and the store counts again. The server counts by its own read marker: **a
/// count can move the read place back**, below what was read before the report, and never below what was read after it.
///
/// Services that report a number alone leave both out. The number then applies to the moment at which it is recorded:
/// its place is the newest one that the store knows, if any, and messages that are fetched as history meanwhile are
/// part of it, so that only messages that arrive otherwise are counted on top. Reading everything, or up to the place
/// or beyond, ends it. No count depends on the device's clock.
///
/// A conversation with anything reported unread is listed, at the time of the place; after a number alone, at the time
/// of recording, which decides the order of the list and nothing else. A conversation that was deleted from the list is
/// listed again unless the place, or a higher one, was known when it was deleted; a number alone always lists it again.
public struct UnreadCountReported: ConversationPayload {
    /// Unread messages.
    public var count: UInt32
    /// Messages among them that mention this account; at most ``count``.
    public var mentions: UInt32
    /// The last message that the server counted; nil if it does not report that.
    public var upTo: MessageOrder?
    /// When the server counted, by its clock; nil if it does not report that.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ count: UInt32, mentions: UInt32 = 0, upTo: MessageOrder? = nil, at time: Timestamp? = nil) {
        self.count = count
        self.mentions = mentions
        self.upTo = upTo
        self.time = time
    }
}

extension UnreadCountReported: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.unreadCountReported, "UnreadCountReported", scope: .conversation)

    package static let upTo = FieldOf(3, "upTo", \Self.upTo)
    package static let count = FieldOf(5, "count", \Self.count)
    package static let mentions = FieldOf(6, "mentions", \Self.mentions)
    package static let time = EnvelopeFieldOf(.optionalServerTime, "time", \Self.time)
    package static let fieldList = FieldList({ Self($1, mentions: $2, upTo: $0, at: $3) }, upTo, count, mentions, time)

    /// Refuses more mentions than messages.
    package func check() throws {
        guard mentions <= count else { throw invalid("counts more mentions than messages") }
    }
}

extension EventType {
    /// The type of ``UnreadCountReported``.
    @inlinable public static var unreadCountReported: EventType { EventType(rawValue: 0x2B) }
}
