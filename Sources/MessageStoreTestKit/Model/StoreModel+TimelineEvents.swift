public import MessageStore

extension StoreModel {
    /// What stands between the messages of a conversation, by the events' positions in the order in which it is shown: by the
    /// server's time or that of the recording. What was cleared with the history is left out: up to a place, what is not above
    /// it; else what was recorded before.
    public func timelineEvents(of key: ConversationKey) -> [Position] {
        let floor = conversations[key]?.floor
        let cleared = log.lastIndex { $0.conversation == key && Self.clearsWholeHistory($0.payload) }
        return ((cleared ?? -1) + 1..<log.count)
            .filter { log[$0].conversation == key && TimelineEvent.types.contains(log[$0].type) }
            .map { (time: log[$0].serverTime ?? recordedTimes[$0], position: Position(UInt64($0) + 1)) }
            .filter { floor.isBelow(Order(MessageOrder(time: $0.time))) }
            .sorted { ($0.time, $0.position) < ($1.time, $1.position) }
            .map(\.position)
    }

    /// Whether what was told before is shown no more, whatever its time.
    private static func clearsWholeHistory(_ payload: any EventPayload) -> Bool {
        switch payload {
        case let cleared as HistoryCleared: cleared.upTo == nil
        case let deleted as ConversationDeleted: deleted.alsoMessages
        case let left as ChatRoomLeft: left.purges
        default: false
        }
    }
}
