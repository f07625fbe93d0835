import AdapterSupport
import MessageStore

/// IMLib's client for receiving, on a store.
final class RCCoreClient {
    private struct Listener {
        weak var delegate: (any RCIMClientReceiveMessageDelegate)?
    }

    private let server: RongCloudServer
    private let directory: String
    private var listeners: [Listener] = []
    private var checks = MessageStore.DuplicateSuppression()
    private(set) var store: MessageStore?

    init(directory: String, server: RongCloudServer) {
        self.directory = directory
        self.server = server
        checks.inConversations = true
        checks.inChatRooms = true
    }

    func addReceiveMessageDelegate(_ delegate: any RCIMClientReceiveMessageDelegate) {
        listeners.append(Listener(delegate: delegate))
    }

    func removeReceiveMessageDelegate(_ delegate: any RCIMClientReceiveMessageDelegate) {
        listeners.removeAll { $0.delegate === delegate || $0.delegate == nil }
    }

    /// Before connecting; the last call counts.
    func setCheckDuplicateMessage(_ enableCheck: Bool) { checks.inConversations = enableCheck }

    /// `RCChatRoomClient`'s: before connecting; the last call counts.
    func setCheckChatRoomDuplicateMessage(_ enableCheck: Bool) { checks.inChatRooms = enableCheck }

    /// Opens the account's store. Its messages can be read before the network answers.
    func open(userId: String) throws -> MessageStore {
        if let store { return store }
        var configuration = MessageStore.Configuration()
        configuration.sync.duplicateSuppression = checks
        let clock = server.script.clock
        configuration.now = { clock.now }
        let opened = try MessageStore.open(directory, account: UserID(userId), configuration: configuration)
        store = opened
        return opened
    }

    /// Connects and receives what the server kept.
    func connect(userId: String) throws {
        let store = try open(userId: userId)
        server.connect()
        try store.record([Event(SessionStateChanged(.connected)), Event(OfflineSyncStarted(), origin: .offline)])
        for (index, package) in server.packages().enumerated() {
            guard server.isReachable else {
                try store.record(Event(SessionStateChanged(.disconnected, code: 30_002)))
                return
            }
            let events = try package.messages.map { try $0.event(origin: .offline) }
            let arrived = try store.arrivals(
                of: OfflinePackage(index: UInt32(index), events: events, hasMore: package.hasMore))
            tell(arrived, offline: true, hasPackage: package.hasMore)
            server.packageArrived()
        }
        try store.record(Event(OfflineSyncCompleted(), origin: .offline))
        server.confirm()
        forEachListener { $0.onOfflineMessageSyncCompleted() }
    }

    /// A message that the server pushes.
    func push(_ message: RCMessage) throws {
        guard let store else { return }
        tell(try store.arrivals(of: [message.event(origin: .live)]), offline: false, hasPackage: false)
    }

    func disconnect() throws {
        try store?.close()
        store = nil
    }

    private func tell(_ arrived: [Arrival], offline: Bool, hasPackage: Bool) {
        guard let store else { return }
        let messages = arrived.compactMap(\.message).compactMap { RCMessage($0, types: store.contentTypes) }
        for (index, message) in messages.enumerated() {
            let left = messages.count - 1 - index
            forEachListener { delegate in
                delegate.onReceived(message, left: left, object: nil)
                delegate.onReceived(message, left: left, object: nil, offline: offline, hasPackage: hasPackage)
            }
        }
    }

    private func forEachListener(_ body: (any RCIMClientReceiveMessageDelegate) -> Void) {
        for listener in listeners { listener.delegate.map(body) }
    }
}
