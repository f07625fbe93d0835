import MessageStore

/// Messages of the cloud, for a page that shows what the service has and leaves the store alone.
struct NIMRemoteMessageDataProvider {
    let store: MessageStore

    func pullDown(_ first: MessageReceived?, in session: NIMSession, limit: Int) async throws -> [MessageReceived] {
        let anchor = first.map { TimelineAnchor.order(MessageOrder(time: $0.sentTime, id: $0.serverID)) }
        return try await store.remoteHistory(of: session.key, before: anchor, limit: limit).messages
    }
}
