@_spi(Storage) internal import MessageStoreLog

/// The projection of what timelines show between messages: events about a conversation and its members, by their time.
/// An event that clears a whole history, and not up to a place, removes all events that were recorded before it.
struct TimelineEvents: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .timelineEvents, version: 3, events: handlers.types, tables: events)
    static var events: Table<TimelineEventKey, NoValue> { Table("timelineEvents", 34) }

    static let handlers = EventHandlers<Self>()
        .on(TimelineEvent.types) { _, event, rows, _ in
            guard event.isBetweenMessages else { return }
            let key = TimelineEventKey(
                conversation: event.conversationNumber, time: event.timelineTime, position: event.position)
            rows.put(events, key, NoValue())
        }
        .on(.historyCleared, .conversationDeleted, .chatRoomLeft) { _, event, rows, _ in
            guard event.clearsWholeHistory else { return }
            for (key, _) in try rows.snapshot.allRows(events, under: event.conversationNumber) {
                rows.remove(events, key)
            }
        }
}

extension RecordView {
    /// Whether timelines show the event between messages. An invitation by this account itself is none of them:
    /// services send it to the one who invited as well, and it reports the account's act as if it were done to the
    /// account (B23).
    var isBetweenMessages: Bool {
        type.has(.shownBetweenMessages) && (type != .selfInvited || actorNumber != .account)
    }

    /// The time of an event between messages, in milliseconds since 1970: the server's, else that of the recording.
    var timelineTime: UInt64 { UInt64(clamping: (serverTime ?? now).milliseconds) }

    /// Up to where the history is cleared; nil for the whole, which a place of more than a day after the recording is,
    /// too.
    var clearedUpTo: OrderKey? {
        order(HistoryCleared.upTo.field).flatMap { isAhead($0.time) ? nil : $0 }
    }

    /// Whether nothing is shown any longer that was recorded about the conversation before this.
    var clearsWholeHistory: Bool {
        switch type {
        case .historyCleared: clearedUpTo == nil
        case .conversationDeleted: self[ConversationDeleted.alsoMessages]
        default: purgesChatRoom
        }
    }
}

/// The key of a row of `timelineEvents`: an event between messages, by its time.
struct TimelineEventKey: ViewKey {
    var conversation = ConversationNumber.none
    /// In milliseconds since 1970.
    var time: UInt64 = 0
    var position = Position.origin

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("time", &time, .time)
        parts.part("position", &position)
    }
}
