import MessageStore

/// Messages of the cloud, for a page that shows what the service has and leaves the store alone.
struct NIMRemoteMessageDataProvider {
    let store: MessageStore

    func pullDown(_ first: Message?, in session: NIMSession, limit: Int) async throws -> [Message] {
        let anchor = first?.order.map { TimelinePart.before(.order($0)) }
        return try await store.remoteHistory(of: session.key, anchor ?? .latest, limit: limit).elements
    }
}
