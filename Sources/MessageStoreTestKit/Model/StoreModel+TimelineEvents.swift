public import MessageStore

extension StoreModel {
    /// What stands between the messages of a conversation, by the events' positions in the order in which it is shown: by the
    /// server's time or that of the recording, without what was cleared with the history.
    public func timelineEvents(of key: ConversationKey) -> [Position] {
        let floor = conversations[key]?.floor
        return log.indices
            .filter { log[$0].conversation == key && TimelineEvent.types.contains(log[$0].type) }
            .map { (time: log[$0].serverTime ?? recordedTimes[$0], position: Position(UInt64($0) + 1)) }
            .filter { floor.isBelow(Order(MessageOrder(time: $0.time))) }
            .sorted { ($0.time, $0.position) < ($1.time, $1.position) }
            .map(\.position)
    }
}
