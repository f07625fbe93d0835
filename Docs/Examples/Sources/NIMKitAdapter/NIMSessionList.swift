import MessageStore

/// The list of recent sessions.
final class NIMSessionList {
    private let kit: NIMKit
    /// Whether deleting a session deletes it on the server as well, so that no other device shows it.
    var autoRemoveRemoteSession = false

    init(_ kit: NIMKit) { self.kit = kit }

    func recentSessions() throws -> [Conversation] {
        let page = try kit.store.read { try $0.conversations(limit: 100) }
        try kit.store.requestMissingInfo(inList: page)
        return page.elements
    }

    func nameForRecentSession(_ recent: Conversation) -> String { recent.displayName }

    /// The text of the last message, or the words for its type.
    func contentForRecentSession(_ recent: Conversation) throws -> String {
        guard let last = recent.lastMessage else { return "" }
        if last.contentType == .tip, let message = try kit.store.read({ try $0.message(last.id) }),
            let tip = try kit.provider.tipMessage(message)
        {
            return tip
        }
        return kit.store.contentTypes.preview(of: last) ?? ""
    }

    /// Hours and minutes of the last message, in UTC.
    func timestampDescriptionForRecentSession(_ recent: Conversation) -> String {
        guard let minutes = recent.activity.map({ $0.milliseconds / 60_000 }) else { return "" }
        return [minutes / 60 % 24, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    func delete(_ recent: Conversation) throws {
        try kit.store.record(
            .conversationDeleted(recent.key, alsoMessages: true, isRemote: autoRemoveRemoteSession))
    }
}
