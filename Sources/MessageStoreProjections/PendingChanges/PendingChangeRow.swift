@_spi(Storage) internal import MessageStoreLog

/// A row of `pendingChanges`.
struct PendingChangeRow: ViewRow {
    var kind = PendingChange.Kind.modification
    var status = MessageStatus.sending
    var failureCode: Int32 = 0

    init() {}

    init(_ kind: PendingChange.Kind) { self.kind = kind }

    @inline(__always) @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("kind", &kind)
        parts.part("status", &status)
        parts.part("failureCode", &failureCode)
    }
}

/// The key of a row of `pendingChanges`: conversation, message, position of the change.
struct PendingChangeKey {
    let conversation: ConversationNumber
    let message: LocalMessageID
    let position: Position

    init(_ conversation: ConversationNumber, _ message: LocalMessageID, _ position: Position) {
        self.conversation = conversation
        self.message = message
        self.position = position
    }

    init?(_ key: RawSpan) {
        guard key.byteCount == 20, let conversation = key.conversation,
            let message = key.loadBigEndian(at: 4, as: UInt64.self),
            let position = key.loadBigEndian(at: 12, as: UInt64.self)
        else { return nil }
        self.init(conversation, LocalMessageID(message), Position(position))
    }

    var bytes: [UInt8] { RowKey.pendingChange(of: message, in: conversation, at: position) }
}
