@_spi(Storage) internal import MessageStoreLog

/// The projection of what timelines show between messages: events about a conversation and its members, by their time.
/// What clears a whole history, and not up to a place, takes all along that was told before it.
struct TimelineEvents: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .timelineEvents, version: 2,
        events: .types(TimelineEvent.types.union([.historyCleared, .conversationDeleted, .chatRoomLeft])),
        tables: [.timelineEvents])

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        switch event.type {
        case .historyCleared, .conversationDeleted, .chatRoomLeft:
            guard event.clearsWholeHistory else { return }
            let keys = try rows.snapshot.timelineEventKeys(of: event.conversationNumber)
            for key in keys { rows.remove(.timelineEvents, key.span.bytes) }
        default:
            guard event.standsBetweenMessages else { return }
            let key = RowKey.timelineEvent(
                at: event.position, time: event.timelineTime, in: event.conversationNumber)
            rows.put(.timelineEvents, key.span.bytes, RawSpan())
        }
    }
}

extension RecordView {
    /// Whether timelines show the event between messages. An invitation by this account itself is none of them: services send
    /// it to the one who invited as well, and it tells what the account did as if it were done to it (B23).
    var standsBetweenMessages: Bool {
        TimelineEvent.types.contains(type) && (type != .selfInvited || actorNumber != .account)
    }

    /// When an event stands between messages, in milliseconds since 1970: the server's time, else that of the recording.
    var timelineTime: UInt64 { UInt64(clamping: (serverTime ?? recordedTime).milliseconds) }

    /// Whether nothing is shown any longer of what was told of the conversation before this.
    var clearsWholeHistory: Bool {
        switch type {
        case .historyCleared: order(HistoryCleared.Fields.upTo) == nil
        case .conversationDeleted: self[ConversationDeleted.Fields.alsoMessages]
        default: purgesChatRoom
        }
    }
}

extension ViewSnapshot {
    /// The keys of all events between the messages of a conversation.
    @inline(never)
    fileprivate borrowing func timelineEventKeys(of conversation: ConversationNumber) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try rows(.timelineEvents, of: conversation)
        while try cursor.next(), cursor.key.conversation == conversation { keys.append(cursor.key.copied) }
        return keys
    }
}

extension RowKey {
    /// The key of an event between messages; without a position, the beginning of those of a time.
    static func timelineEvent(
        at position: Position? = nil, time: UInt64, in conversation: ConversationNumber
    ) -> [UInt8] {
        number(conversation) + number(time) + (position.map { number($0.rawValue) } ?? [])
    }
}
