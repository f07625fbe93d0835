import AdapterSupport
import MessageStore

/// The kit on a store: the app's provider, notices of changes, and what arrives and is sent.
final class NIMKit {
    let store: MessageStore
    let server: NIMServer
    let provider: StoreDataProvider
    let notices = NIMKitNotices()

    init(directory: String, account: String, server: NIMServer) throws {
        var configuration = MessageStore.Configuration()
        configuration.hooks.profileProvider = server
        configuration.hooks.teamProvider = server
        configuration.hooks.historyProvider = server
        let clock = server.script.clock
        configuration.now = { clock.now }
        store = try MessageStore.open(directory, account: UserID(account), configuration: configuration)
        (self.server, provider) = (server, StoreDataProvider(store: store))
        store.contentTypes.label = { $0 == .image ? "picture" : $0 == .audio ? "voice" : $0.rawValue }
    }

    /// What the service pushes.
    func receive(_ messages: [MessageReceived], in session: NIMSession) throws {
        try store.record(messages.map { Event($0, in: session.key, origin: .live) })
    }

    /// Sends a message; a failed one keeps its dot until it is tried again.
    func send(_ content: MessageContent, to session: NIMSession) throws -> LocalMessageID {
        let token = ClientToken.unique()
        let local = try store.send(content, to: session.key, token: token)
        try transmit(local, token, session)
        return local
    }

    /// `NIMMessageCellDelegate`: the red dot of a failed message was tapped.
    func onRetryMessage(_ local: LocalMessageID) throws {
        guard let message = try store.read({ try $0.message(local) }), let token = message.clientToken,
            let session = NIMSession(message.conversation)
        else { return }
        try store.record(.sendRetried(local, in: message.conversation))
        try transmit(local, token, session)
    }

    private func transmit(_ local: LocalMessageID, _ token: ClientToken, _ session: NIMSession) throws {
        let answer = Result { () throws(ScriptedServer.Refusal) in try server.script.send(token: token) }
        switch answer {
        case .success(let receipt):
            try store.record(.sent(local, as: ServerMessageID(receipt.id), in: session.key, at: receipt.time))
        case .failure(let refusal):
            try store.record(.sendFailed(local, in: session.key, code: refusal.code))
        }
    }
}
