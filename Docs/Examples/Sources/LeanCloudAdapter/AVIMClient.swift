import AdapterSupport
import MessageStore

/// A client of the service: one store for each client id.
final class AVIMClient {
    let server: LeanCloudServer
    let stores: AccountStores
    weak var delegate: (any AVIMClientDelegate)?
    /// `AVIMUserOptionUseUnread`: numbers in place of the messages that came while the client was away.
    var usesUnread = false
    private(set) var clientId = ""
    private var opened: MessageStore?
    /// Whether the loop of `receive` runs.
    var isReceiving = false

    init(server: LeanCloudServer, stores: AccountStores) { (self.server, self.stores) = (server, stores) }

    func openWithClientId(_ clientId: String) throws {
        var configuration = MessageStore.Configuration()
        configuration.hooks.historyProvider = LeanCloudHistory(server: server)
        let clock = server.script.clock
        configuration.now = { clock.now }
        let store = try stores.open(UserID(clientId), configuration: configuration)
        try store.contentTypes.reserve(AVIMMessageMediaType.namespace)
        (self.clientId, opened) = (clientId, store)
        try store.record(Event(SessionStateChanged(.connected)))
        server.login(clientId, usesUnread: usesUnread)
        try receive()
    }

    func close() throws {
        server.logout(clientId)
        try opened?.close()
        opened = nil
    }

    /// The open store.
    func store() throws -> MessageStore {
        guard let opened else { throw AVIMError.notOpen }
        return opened
    }

    // MARK: The connection

    func pause() throws {
        server.logout(clientId)
        try store().record(Event(SessionStateChanged(.suspended)))
        delegate?.imClientPaused(self)
    }

    func resume() throws {
        try store().record(Event(SessionStateChanged(.connecting)))
        delegate?.imClientResuming(self)
        server.login(clientId, usesUnread: usesUnread)
        try store().record(Event(SessionStateChanged(.connected)))
        delegate?.imClientResumed(self)
        try receive()
    }

    // MARK: Conversations

    func createConversationWithName(
        _ name: String?, clientIds: [String], attributes: [String: JSONValue] = [:], transient: Bool = false
    ) throws -> AVIMConversation {
        let created = server.create(
            by: clientId, name: name, members: clientIds, attributes: attributes, isTransient: transient)
        let conversation = AVIMConversation(created.key, of: self)
        if transient {
            try store().joinChatRoom(created.key, at: server.script.clock.now)
        } else {
            let members = created.members.map { UserID($0) }
            try store().record(.conversationCreated(try created.fields(), members: members, in: created.key))
        }
        return conversation
    }

    func conversationQuery() -> AVIMConversationQuery { AVIMConversationQuery(self) }

    /// A conversation by its id; it need not be known here.
    func conversation(forId id: String, transient: Bool = false) -> AVIMConversation {
        AVIMConversation(transient ? .chatRoom(id) : .id(id), of: self)
    }

    /// The ids of all conversations that the list shows.
    func conversationIds() throws -> [String] {
        try store().read { try $0.conversations().elements.map(\.key.id) }
    }

    /// The ids of the chat rooms in which the client is.
    func joinedRoomIds() throws -> [String] { try store().read { try $0.joinedChatRooms().map(\.id) } }

    /// Whether what the store shows is what its log says.
    func isConsistent() throws -> Bool { try store().verify().isConsistent }
}
