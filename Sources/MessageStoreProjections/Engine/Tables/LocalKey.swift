@_spi(Storage) internal import MessageStoreLog

extension LocalMessageID: ViewKey {
    package init() { self.init(0) }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("local", &self)
    }
}

/// A message of a conversation, by the id that only this device has.
struct LocalKey: ViewKey {
    var conversation = ConversationNumber.none
    var local = LocalMessageID(0)

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("local", &local)
    }
}

/// A message of a conversation, by the server's id.
struct ServerIDKey: ViewKey {
    var conversation = ConversationNumber.none
    var serverID: [UInt8] = []

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.rest("serverID", &serverID, .serverID)
    }
}

/// A place in a conversation's order; without one, where the conversation's places begin.
struct PlaceKey: ViewKey {
    var conversation = ConversationNumber.none
    var order = OrderKey.belowAll

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.order("order", &order)
    }

    /// Writes the key without making it.
    @inline(__always)
    static func write(_ conversation: ConversationNumber, _ order: RawSpan, to writer: inout ByteWriter) {
        writer.removeAll()
        writer.appendBigEndian(conversation.rawValue)
        writer.append(order)
    }
}

/// A place of messages that have a mark; see ``TimelineMarks``.
struct MarkedPlaceKey: ViewKey {
    var conversation = ConversationNumber.none
    var mark: UInt32 = 0
    var order = OrderKey.belowAll

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("mark", &mark, .contentType)
        parts.order("order", &order)
    }

    /// Writes the key without making it.
    static func write(
        _ conversation: ConversationNumber, _ mark: UInt32, _ order: RawSpan, to writer: inout ByteWriter
    ) {
        writer.removeAll()
        writer.appendBigEndian(conversation.rawValue)
        writer.appendBigEndian(mark)
        writer.append(order)
    }
}

/// An identity, as the hash that is kept of it.
struct IdentityRowKey: ViewKey {
    var identity: [UInt8] = []

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.rest("identity", &identity, .hash)
    }

    static func isUnseen(_ key: RawSpan) -> Bool { true }
}
