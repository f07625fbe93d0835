#if DEBUG
internal import MessageStoreLMDB
#endif
@_spi(Storage) internal import MessageStoreLog

/// Folds messages that arrive and about which there is nothing more to say than where they are and whether they are
/// unread: nearly all events of a sync.
///
/// The changes of such a message are known without a list of changes that each projection goes through. Everything else
/// takes the general way. Both end in the same rows: each projection's part is a function that both call.
struct PlainMessages: ~Copyable {
    /// The projections that fold plain messages; others make all messages take the general way.
    static let projections: [ProjectionID] = [.messages, .timeline, .conversationList, .unreadCounters, .timers]

    private let timeline: UnsafeMutablePointer<Timeline>
    private let list: UnsafeMutablePointer<ConversationList>
    private let counters: UnsafeMutablePointer<UnreadCounters>
    private let timers: UnsafeMutablePointer<Timers>
    #if DEBUG
    private let writable: UInt64
    /// How many messages were folded apart, for tests.
    static let folded = Locked(0)
    #endif
    private var key = ByteWriter(capacity: 320)

    /// - Parameter fold: Answers the fold of a projection; it outlives this.
    init(_ catalog: ProjectionCatalog, _ fold: (ProjectionID) -> Unmanaged<AnyFold>) {
        timeline = fold(.timeline).takeUnretainedValue().lent()
        list = fold(.conversationList).takeUnretainedValue().lent()
        counters = fold(.unreadCounters).takeUnretainedValue().lent()
        timers = fold(.timers).takeUnretainedValue().lent()
        #if DEBUG
        writable = catalog.index(of: .timeline).map { catalog.entries[$0].tableBits } ?? 0
        #endif
    }

    /// - Parameter record: A message of the server without mentions of this account, reply, timer or wishes.
    /// - Returns: false, and nothing was changed, where it takes the general way.
    @inline(__always)
    mutating func apply(_ record: RecordView, _ rows: inout FoldRows) throws -> Bool {
        let time = OrderKey.time(ofArrival: record)
        let conversation = record.conversationNumber
        guard !rows.snapshot.hasLeftRooms, !record.isAhead(time),
            let listed = list.pointee.openSlot(of: conversation),
            let counted = counters.pointee.openSlot(of: conversation),
            try !rows.snapshot.hasParked || !isExpected(record, rows),
            try !rows.snapshot.hasTimers || !timers.pointee.setsTimer(record, rows)
        else { return false }
        let row = TimelineRow(arrived: record)
        key.removeAll()
        key.appendBigEndian(conversation.rawValue)
        OrderKey.append(received: record, at: time, to: &key)
        let isCounted = row.flags.contains(.counts)
        guard !isCounted || counters.pointee.isPlainlyUnread(at: key.bytes.order, counted) else { return false }
        #if DEBUG
        rows.writable = writable
        Self.folded.withLock { $0 += 1 }
        #endif
        rows.claimIdentities(of: record)
        try timeline.pointee.arrive(record, &rows)
        rows.put(Timeline.messages, at: key.bytes, row)
        if !row.flags.isDisjoint(with: [.updatesLastMessage, .counts]) {
            list.pointee.arrive(row, at: key.bytes.order, listed, Recording(now: record.now, latest: .max))
        }
        if isCounted { try counters.pointee.count(row, UnreadWeight(messages: 1), conversation, counted) }
        return true
    }

    /// Whether facts wait for a message.
    private func isExpected(_ record: RecordView, _ rows: borrowing FoldRows) throws -> Bool {
        guard record.serverID.byteCount > 0 else { return false }
        let key = ServerIDKey(conversation: record.conversationNumber, serverID: record.serverID.copied)
        return try rows.snapshot.row(Messages.parked, key) != nil
    }
}

extension RecordView {
    /// Whether a message that arrived may be plain by what its record says, but for the type of its content.
    @inline(__always)
    var isPlainArrival: Bool {
        guard type == .messageReceived,
            flags.isDisjoint(with: [
                .needsReceipt, .mentionsAccount, .awaitsServer, .hasTimer, .isDirectedAtOthers,
            ])
        else { return false }
        return fieldBytes.byteCount == 0
            || bytes(of: MessageContext.Fields.replyTo) == nil && self[MessageReceived.Fields.flags] == nil
    }
}
