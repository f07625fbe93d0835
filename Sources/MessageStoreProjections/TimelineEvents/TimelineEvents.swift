@_spi(Storage) internal import MessageStoreLog

/// The projection of what timelines show between messages: events about a conversation and its members, by their time.
struct TimelineEvents: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .timelineEvents, version: 1, events: .types(TimelineEvent.types), tables: [.timelineEvents])

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        let time = UInt64(clamping: (event.serverTime ?? event.recordedTime).milliseconds)
        let key = RowKey.timelineEvent(at: event.position, time: time, in: event.conversationNumber)
        rows.put(.timelineEvents, key.span.bytes, RawSpan())
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
