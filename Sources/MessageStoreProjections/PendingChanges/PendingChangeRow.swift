@_spi(Storage) internal import MessageStoreLog

/// A row of `pendingChanges`.
struct PendingChangeRow: ViewRow {
    var kind: PendingChange.Kind
    var status = MessageStatus.sending
    var failureCode: Int32 = 0

    init(_ kind: PendingChange.Kind) { self.kind = kind }

    init?(_ row: RawSpan) {
        guard let kind = row.load(at: 0, as: UInt8.self).flatMap(PendingChange.Kind.init(rawValue:)),
            let status = row.load(at: 1, as: UInt8.self).flatMap(MessageStatus.init(rawValue:)),
            let failureCode = row.load(at: 2, as: Int32.self)
        else { return nil }
        self.kind = kind
        self.status = status
        self.failureCode = failureCode
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.append(kind.rawValue)
        writer.append(status.rawValue)
        writer.append(failureCode)
        return writer.bytes.copied
    }
}

/// The key of a row of `pendingChanges`: conversation, message, position of the change.
struct PendingChangeKey {
    let conversation: UInt32
    let message: LocalMessageID
    let position: Position

    /// The beginning of the keys of a message's changes.
    static func prefix(_ conversation: UInt32, _ message: LocalMessageID) -> [UInt8] {
        RowKey.number(conversation) + RowKey.number(message.rawValue)
    }

    init(_ conversation: UInt32, _ message: LocalMessageID, _ position: Position) {
        self.conversation = conversation
        self.message = message
        self.position = position
    }

    init?(_ key: RawSpan) {
        guard key.byteCount == 20, let conversation = key.loadBigEndian(at: 0, as: UInt32.self),
            let message = key.loadBigEndian(at: 4, as: UInt64.self),
            let position = key.loadBigEndian(at: 12, as: UInt64.self)
        else { return nil }
        self.init(conversation, LocalMessageID(message), Position(position))
    }

    var bytes: [UInt8] { Self.prefix(conversation, message) + RowKey.number(position.rawValue) }
}
