import AdapterSupport
import MessageStore

/// ChatKit on a store.
final class LCChatKit {
    let store: MessageStore
    let server: ScriptedServer
    private var forceReconnect: ((_ aDetail: String) -> Bool)?

    /// Signs in; the blocks are set before, as the document demands.
    init(
        clientId: String, directory: String, blocks: LCCKBlocks, history: ChatKitHistory, server: ScriptedServer
    ) throws {
        var configuration = MessageStore.Configuration()
        configuration.hooks.profileProvider = blocks.fetchProfiles.map { BlockProfileProvider(block: $0) }
        configuration.hooks.profileTimeout = .milliseconds(200)
        configuration.hooks.messageFilter = blocks.filterMessages.map { BlockMessageFilter(block: $0) }
        configuration.hooks.historyProvider = history
        let clock = server.clock
        configuration.now = { clock.now }
        store = try MessageStore.open(directory, account: UserID(clientId), configuration: configuration)
        self.server = server
        try store.contentTypes.reserve(AVIMTypedMessage.namespace)
    }

    // MARK: Profiles

    /// Fetches them by the block. Those it does not know are answered with their client id.
    func getProfilesInBackgroundForUserIds(_ userIds: [String]) async throws -> [LCCKUser] {
        try await store.fetchProfiles(userIds.map { UserID($0) }).map { LCCKUser($0) }
    }

    /// What is known, without asking.
    func getCachedProfileIfExists(_ clientId: String) throws -> LCCKUser? {
        let known = try store.read { try $0.profile(UserID(clientId)) }
        return known.isPlaceholder ? nil : LCCKUser(known)
    }

    func removeCachedProfileForPeerId(_ peerId: String) throws {
        try store.record(Event(ProfileInvalidated([UserID(peerId)], purges: true)))
    }

    func removeAllCachedProfiles() throws { try store.record(Event(ProfileInvalidated(nil, purges: true))) }

    // MARK: Messages

    /// `LCCKNotificationCustomTransientMessageReceived`: messages of the app's types, also those that are stored; ends with the
    /// store.
    func customMessages() -> some AsyncSequence<(message: AVIMTypedMessage, isTransient: Bool), Never> {
        store.deliveries().compactMap { delivery in
            guard case .message(let event, _) = delivery.payload, let body = event.payload as? MessageReceived else {
                return nil
            }
            let message = AVIMTypedMessage(body)
            return message.isCustom ? (message, delivery.isTransient) : nil
        }
    }

    /// `registerSubclass` of the card; its messages are read from now on, old ones as well.
    func registerCard() throws { try store.contentTypes.register(LCCKVCardMessage.self) }

    /// The class of the card was deleted from the app.
    func unregisterCard() { store.contentTypes.unregister(LCCKVCardMessage.contentType) }

    /// What the service pushes; the filter is asked before it is stored.
    func receive(
        _ content: MessageContent, from sender: String, in key: ConversationKey, policy: MessagePolicy = .standard
    ) async throws {
        let stamp = server.stamp()
        try await store.record(
            .received(
                ServerMessageID(stamp.id), from: UserID(sender), in: key, at: stamp.time, content: content,
                policy: policy))
    }

    // MARK: Badge and session

    /// `setMarkBadgeWithTotalUnreadCountBlock:`; ends with the store.
    func markBadge(_ block: @escaping @Sendable (Int) -> Void) -> Task<Void, any Error> {
        let badges = store.observe { try $0.unreadTotals().badge }
        return Task { for try await badge in badges { block(badge) } }
    }

    func setForceReconnectSessionBlock(_ block: @escaping (_ aDetail: String) -> Bool) { forceReconnect = block }

    func sessionState() throws -> SessionState? { try store.read { try $0.session()?.state } }

    /// The service signed this device out, because another one signed in.
    func sessionConflict() throws {
        try store.record(Event(SessionStateChanged(.kicked, code: 4111, text: "SESSION_CONFLICT")))
        guard forceReconnect?("SESSION_CONFLICT") == true else { return }
        try store.record(Event(SessionStateChanged(.connected)))
    }
}

extension LCCKUser {
    /// The client id stands in for a name that is not known.
    init(_ known: Cached<Profile>) {
        self.init(
            userId: known.info.userID, name: known.displayName, avatarURL: known.info.avatarURL,
            clientId: known.info.id.rawValue)
    }
}
