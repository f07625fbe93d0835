import MessageStoreLog

extension Event {
    /// The event as the log gives it back: times of bodies stand as the server time.
    var asRecorded: Event {
        var event = self
        switch payload {
        case let body as MessageReceived: event.serverTime = body.sentTime
        case let body as MessageSent: event.serverTime = body.sentTime ?? serverTime
        case let body as MessageModified: event.serverTime = body.time
        case let body as MessageDelivered: event.serverTime = body.time
        case let body as MessageReadByPeer: event.serverTime = body.time
        case let body as MessageInsertedLocally: event.serverTime = body.time
        case let body as MessageMetadataChanged: event.serverTime = body.time
        case let body as ReactionAdded: event.serverTime = body.time
        case let body as ReactionRemoved: event.serverTime = body.time
        case let body as UnreadCountReported: event.serverTime = body.time ?? serverTime
        case let body as UsersBlocked: event.serverTime = body.time ?? serverTime
        case let body as MessageSnapshotReceived: event.serverTime = body.time ?? serverTime
        case let body as ChatRoomJoined: event.serverTime = body.time
        case let body as ChatRoomLeft: event.serverTime = body.time
        default: break
        }
        return event
    }
}
