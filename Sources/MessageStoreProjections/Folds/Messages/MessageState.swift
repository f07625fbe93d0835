@_spi(Storage) internal import MessageStoreLog

/// The state that later events gave a message, beyond what its own record says.
///
/// A received message that nothing happened to has no state row. The same form is parked under the server id when
/// facts come before their message, and joined when it arrives: ``join(_:)`` is commutative and idempotent.
struct MessageState: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = [
            "isRecalled", "isDeleted", "isSuppressed", "isTimeProvisional", "isReceiptRequested", "isReceiptSent",
        ]
        static let isRecalled = Flags(rawValue: 1)
        static let isDeleted = Flags(rawValue: 2)
        /// It repeats the message ``duplicateOf`` (d12).
        static let isSuppressed = Flags(rawValue: 4)
        /// The server accepted it and did not report its time: ``serverTime`` is that of its queueing.
        static let isTimeProvisional = Flags(rawValue: 8)
        /// Its sender requested a read receipt later; this account sent one.
        static let isReceiptRequested = Flags(rawValue: 16)
        static let isReceiptSent = Flags(rawValue: 32)
    }

    /// The last verdict of the host's filter (d13).
    enum Verdict: UInt8, RowValue {
        case none = 0
        case keep = 1
        case hide = 2
        case replace = 3

        /// The verdict of an event's number; nil for one of a newer version.
        init?(code: UInt8) {
            switch code {
            case FilterVerdict.Code.keep: self = .keep
            case FilterVerdict.Code.hide: self = .hide
            case FilterVerdict.Code.replace: self = .replace
            default: return nil
            }
        }
    }

    /// Whom an edit mentions.
    enum Mention: UInt8, RowValue, Comparable {
        /// No edit named mentions; the message's own mentions apply.
        case unreported = 0
        case nobodyHere = 1
        /// Everyone, and not this account by name.
        case everyone = 2
        case account = 3

        static func < (first: Mention, second: Mention) -> Bool { first.rawValue < second.rawValue }
    }

    var status = MessageStatus.received
    var flags: Flags = []
    var failureCode: Int32 = 0
    /// The server's time and id, after the acknowledgement; a time alone was recorded for a message that is not known.
    var serverTime: Int64 = 0
    var serverID: [UInt8] = []
    /// The `MessageModified` or `MessageSnapshotReceived` event that holds the content to show; 0 for the original.
    var contentPosition: UInt64 = 0
    var modifiedTime: Int64 = 0
    /// The first delivery and the first reading, by the server's clock; 0 while there is none.
    var deliveredTime: Int64 = 0
    var readTime: Int64 = 0
    /// The flags that the user set on it (D14).
    var userFlags: MessageFlags = []
    var verdict = Verdict.none
    /// The `MessageFiltered` event that holds the verdict, and the content type of its replacement.
    var verdictPosition: UInt64 = 0
    var replacementType: UInt32 = 0
    /// The last `AttachmentStateChanged` event of each attachment.
    var attachments = AttachmentPositions()
    var duplicateOf: UInt64 = 0
    /// The edit that last recorded whom the message mentions, and its mention; 0 if none did.
    var mentionsPosition: UInt64 = 0
    var mentionsTime: Int64 = 0
    var mention = Mention.unreported

    init() {}

    /// Whether nothing happened to the message: it needs no row.
    var isInitial: Bool {
        status == .received && flags.isEmpty && userFlags.isEmpty && verdict == .none && failureCode == 0
            && serverTime == 0 && serverID.isEmpty && contentPosition == 0 && modifiedTime == 0 && deliveredTime == 0
            && readTime == 0 && verdictPosition == 0 && replacementType == 0 && attachments.bytes.isEmpty
            && duplicateOf == 0 && mentionsPosition == 0
    }

    /// Whether it was recalled or deleted.
    var isHidden: Bool { !flags.isDisjoint(with: [.isRecalled, .isDeleted]) }

    /// Takes over the facts that came before the message, or were recorded of its echo or of a repeat.
    mutating func join(_ parked: MessageState) {
        flags.formUnion(parked.flags.subtracting([.isTimeProvisional, .isSuppressed]))
        if (modifiedTime, contentPosition) < (parked.modifiedTime, parked.contentPosition) {
            (contentPosition, modifiedTime) = (parked.contentPosition, parked.modifiedTime)
        }
        if (mentionsTime, mentionsPosition) < (parked.mentionsTime, parked.mentionsPosition) {
            (mentionsPosition, mentionsTime, mention) = (parked.mentionsPosition, parked.mentionsTime, parked.mention)
        }
        status = max(status, parked.status)
        deliveredTime = Self.earliest(deliveredTime, parked.deliveredTime)
        readTime = Self.earliest(readTime, parked.readTime)
        userFlags.formUnion(parked.userFlags)
        attachments.join(parked.attachments)
        if parked.verdictPosition > verdictPosition {
            (verdict, verdictPosition, replacementType) = (
                parked.verdict, parked.verdictPosition, parked.replacementType
            )
        }
    }

    mutating func deliver(at time: Int64) {
        status = max(status, .delivered)
        deliveredTime = Self.earliest(deliveredTime, time)
    }

    mutating func read(at time: Int64) {
        status = max(status, .read)
        readTime = Self.earliest(readTime, time)
    }

    /// The earlier of two times of which 0 means "none". A time of 0 itself is kept as 1.
    private static func earliest(_ first: Int64, _ second: Int64) -> Int64 {
        if first == 0 { return second }
        return second == 0 ? first : min(first, second)
    }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("status", &status)
        parts.part("flags", &flags)
        parts.part("userFlags", &userFlags)
        parts.part("verdict", &verdict)
        parts.part("failureCode", &failureCode)
        parts.part("serverTime", &serverTime, .time)
        parts.part("contentPosition", &contentPosition)
        parts.part("modifiedTime", &modifiedTime, .time)
        parts.part("deliveredTime", &deliveredTime, .time)
        parts.part("readTime", &readTime, .time)
        parts.part("verdictPosition", &verdictPosition)
        parts.part("duplicateOf", &duplicateOf)
        parts.part("replacementType", &replacementType, .contentType)
        var attachmentsLength = UInt16(clamping: attachments.bytes.count)
        parts.part("attachmentsLength", &attachmentsLength, .length)
        parts.bytes("attachments", &attachments.bytes, count: Int(attachmentsLength), .plain)
        parts.part("mentionsPosition", &mentionsPosition)
        parts.part("mentionsTime", &mentionsTime, .time)
        parts.part("mention", &mention)
        parts.rest("serverID", &serverID, .serverID)
    }
}

/// The last event of each attachment of a message: for each its index u8 and the position u64 little-endian, ascending.
struct AttachmentPositions: Hashable {
    private static let length = 9
    var bytes: [UInt8] = []

    /// The indices of the attachments, ascending, and the last event of each.
    var all: [(index: UInt8, position: UInt64)] {
        stride(from: 0, through: bytes.count - Self.length, by: Self.length).map { start in
            (bytes[start], bytes[start + 1..<start + Self.length].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    subscript(index: UInt8) -> UInt64? { all.first { $0.index == index }?.position }

    /// Notes an event; of two of one attachment the later one is kept.
    mutating func note(_ position: UInt64, of index: UInt8) {
        var positions = all.filter { $0.index != index }
        positions.append((index, max(position, self[index] ?? 0)))
        positions.sort { $0.index < $1.index }
        bytes = positions.flatMap { entry in
            [entry.index] + (0..<8).map { UInt8(truncatingIfNeeded: entry.position >> (8 * UInt64($0))) }
        }
    }

    mutating func join(_ other: AttachmentPositions) {
        for (index, position) in other.all { note(position, of: index) }
    }
}

/// The effect of a message's snapshot on its state: the same as that of the single events.
struct ReportedState {
    private let position: UInt64
    private let sentTime: Int64
    private let modifiedTime: Int64?
    private let mention: MessageState.Mention
    private let isRecalled: Bool
    private let reached: MessageStatus
    private let flags: MessageFlags

    init(_ event: RecordView) {
        position = event.position.rawValue
        sentTime = (event[MessageSnapshotReceived.Fields.sentTime] ?? .unknown).milliseconds
        modifiedTime = event.contentType == 0 ? nil : event[MessageSnapshotReceived.Fields.modifiedTime]?.milliseconds
        mention = event.mention
        isRecalled = event[MessageSnapshotReceived.Fields.isRecalled]
        let isRead = event[MessageSnapshotReceived.Fields.readCount] ?? 0 > 0
        let isDelivered = event[MessageSnapshotReceived.Fields.deliveredCount] ?? 0 > 0
        reached = isRead ? .read : isDelivered ? .delivered : .received
        flags = event[MessageSnapshotReceived.Fields.flags] ?? []
    }

    func apply(to state: inout MessageState) {
        if let modifiedTime {
            state.modify(by: position, at: modifiedTime)
            state.mention(mention, by: position, at: modifiedTime)
        }
        if isRecalled { state.flags.insert(.isRecalled) }
        state.status = max(state.status, reached)
        state.userFlags.formUnion(flags)
        state.learn(sentTime: sentTime)
    }
}

extension MessageState {
    /// The latest modification by its time is shown, of those of one time the later in the log.
    ///
    /// - Returns: The loss against another one; nil if this one is shown.
    @discardableResult
    mutating func modify(by position: UInt64, at time: Int64) -> FoldReport.Loss? {
        guard contentPosition == 0 || time >= modifiedTime else {
            let shownTime = Timestamp(milliseconds: modifiedTime)
            return FoldReport.Loss(
                winner: Position(contentPosition), winnerTime: shownTime, winnerNamedTime: shownTime,
                time: Timestamp(milliseconds: time), isDifferent: true)
        }
        contentPosition = position
        modifiedTime = time
        return nil
    }

    /// The mentions with the latest time apply, of those of one time the later in the log.
    mutating func mention(_ mention: Mention, by position: UInt64, at time: Int64) {
        guard mention != .unreported, mentionsPosition == 0 || time >= mentionsTime else { return }
        (self.mention, mentionsPosition, mentionsTime) = (mention, position, time)
    }

    /// Takes the server's time of a message whose time is this device's; or, while the message is not known, keeps it
    /// for the acknowledgement that lacks one.
    mutating func learn(sentTime: Int64) {
        guard sentTime != 0, serverID.isEmpty || flags.contains(.isTimeProvisional) else { return }
        serverTime = sentTime
        flags.remove(.isTimeProvisional)
    }

    /// The server's time of the message of a record; nil if it is not known.
    func serverTime(of record: RecordView) -> Timestamp? {
        guard !serverID.isEmpty else { return record.serverTime }
        return flags.contains(.isTimeProvisional) ? nil : Timestamp(milliseconds: serverTime)
    }
}

/// The place of a message about which more is known than its record says.
extension OrderKey {
    /// The place of a message in its conversation's order.
    init(_ record: RecordView, _ state: MessageState) {
        self.init { Self.append(record, state, to: &$0) }
    }

    /// Whether the place of a message is above this one.
    func precedes(_ record: RecordView, _ state: MessageState) -> Bool {
        precedes(record, state, of: Self.time(of: record, state))
    }

    /// The same for a message whose time is known: mostly the times decide, and no key need be made.
    func precedes(_ record: RecordView, _ state: MessageState, of other: UInt64) -> Bool {
        guard Self.isComplete(bytes.span.bytes) else { return bytes.isEmpty || self < OrderKey(record, state) }
        let own = Self.time(of: bytes.span.bytes)
        return own != other ? own < other : self < OrderKey(record, state)
    }

    /// The place of a message in its conversation's order (d2).
    static func append(_ record: RecordView, _ state: MessageState, to writer: inout ByteWriter) {
        appendTime(time(of: record, state), to: &writer)
        if !state.serverID.isEmpty {
            writer.append(state.serverID.span.bytes)
        } else if record.type == .messageReceived {
            writer.append(record.serverID)
        } else {
            if record.type == .messageInsertedLocally { writer.append(afterServerIDs) }
            writer.appendBigEndian(LocalMessageID(record.position.rawValue).rawValue)
        }
    }

    /// The time with which the place of a message begins.
    static func time(of record: RecordView, _ state: MessageState) -> UInt64 {
        let time: Timestamp
        if !state.serverID.isEmpty {
            time = Timestamp(milliseconds: state.serverTime)
        } else if record.type == .messageReceived || record.type == .messageInsertedLocally {
            time = record.serverTime ?? .unknown
        } else {
            return unsentTime
        }
        return min(UInt64(clamping: time.milliseconds), unsentTime)
    }
}
