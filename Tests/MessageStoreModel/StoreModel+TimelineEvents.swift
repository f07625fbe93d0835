package import MessageStore

extension StoreModel {
    /// The types of events that timelines show between messages (X3).
    private static let betweenMessages: Set<EventType> = [
        .conversationCreated, .conversationUpdated, .memberBlocked, .memberInfoChanged, .memberMuted, .membersAdded,
        .membersRemoved, .selfInvited, .selfKicked,
    ]

    /// What stands between the messages of a conversation, by the events' positions in the order in which it is shown: by the
    /// server's time or that of the recording, without what was cleared with the history: up to a place what is
    /// not above it, else what was recorded before; and without invitations by the account itself.
    package func timelineEvents(of key: ConversationKey) -> [Position] {
        let floor = conversations[key]?.floor
        let cleared = log.indices.last {
            log[$0].conversation == key && Self.clearsWholeHistory(log[$0].payload, at: moments[$0].corrected)
        }
        var shown: [(time: Timestamp, position: Position)] = []
        for index in log.indices.dropFirst(cleared.map { $0 + 1 } ?? 0) where log[index].conversation == key {
            let time = log[index].serverTime ?? moments[index].now
            guard Self.betweenMessages.contains(log[index].type), floor.isBelow(Order(MessageOrder(time: time)))
            else { continue }
            // The copy that the one who invited gets says nothing of this account.
            if (log[index].payload as? SelfInvited)?.actor == account { continue }
            shown.append((time, Position(UInt64(index) + 1)))
        }
        return shown.sorted { ($0.time, $0.position) < ($1.time, $1.position) }.map(\.position)
    }

    /// Whether what was told before is shown no more, whatever its time.
    static func clearsWholeHistory(_ payload: any EventPayload, at time: Timestamp) -> Bool {
        switch payload {
        case let cleared as HistoryCleared:
            cleared.upTo.map { $0.time.milliseconds > time.milliseconds + greatestLead } ?? true
        case let deleted as ConversationDeleted: deleted.alsoMessages
        case let left as ChatRoomLeft: left.purges
        default: false
        }
    }
}
