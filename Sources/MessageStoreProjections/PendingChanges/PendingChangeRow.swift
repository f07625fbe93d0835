@_spi(Storage) internal import MessageStoreLog

/// A row of `pendingChanges`.
struct PendingChangeRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["awaitsServer"]
        /// The event has the mark that it awaits the server, so that a record of the host ends it.
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

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("type", &type)
        parts.part("flags", &flags)
        parts.part("status", &status)
        parts.part("failureCode", &failureCode)
    }
}

/// The key of a row of `pendingChanges`. Which message the event changes is found by its record.
struct PendingChangeKey: ViewKey {
    var conversation = ConversationNumber.none
    var position = Position.origin

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("position", &position)
    }
}
