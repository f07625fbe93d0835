@_spi(Storage) internal import MessageStoreLog

/// A row of `pendingChanges`.
struct PendingChangeRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["awaitsServer"]
        /// The event has the mark that it awaits the server, so that it ends by what the host tells of it.
        static let awaitsServer = Flags(rawValue: 1)
    }

    /// The type of the event that waits.
    var type: UInt16 = 0
    var flags: Flags = []
    var status = PendingChangeStatus.waiting
    var failureCode: Int32 = 0

    init() {}

    init(_ event: RecordView) {
        type = event.type.rawValue
        if event.flags.contains(.awaitsServer) { flags = .awaitsServer }
    }

    @inline(__always) @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("type", &type)
        parts.part("flags", &flags)
        parts.part("status", &status)
        parts.part("failureCode", &failureCode)
    }
}

/// The key of a row of `pendingChanges`: conversation, message, position of the change.
struct PendingChangeKey {
    /// 0 where the change is of the account as a whole.
    let conversation: ConversationNumber
    /// 0 where the change is not of one message, or of one that was not known.
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

    /// The message that the change is of.
    var changedMessage: LocalMessageID? { message == Self.noMessage ? nil : message }
    static let noMessage = LocalMessageID(0)

    var bytes: [UInt8] { RowKey.pendingChange(of: message, in: conversation, at: position) }
}
