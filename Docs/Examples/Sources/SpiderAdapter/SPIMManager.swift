import AdapterSupport
import MessageStore

/// Spider-lib's manager, on a store.
final class SPIMManager {
    let server: SpiderServer
    private let directory: String
    private let appkey: String
    private var messageListeners: [any SPReceiveMessageListener] = []
    private var connectionListeners: [any SPConnectionStatusListener] = []
    private var plugins: [any SPPlugin] = []
    /// What gives each plug-in its messages while the store is open.
    private var feeds: [ObjectIdentifier: Task<Void, Never>] = [:]
    private var registrations: [(ContentTypeRegistry) throws -> Void] = []
    private(set) var store: MessageStore?

    init(appkey: String, directory: String, server: SpiderServer) throws {
        (self.appkey, self.directory, self.server) = (appkey, directory, server)
        try registerMessageType(SPTextMessage.self)
    }

    func addMessageListener(_ listener: any SPReceiveMessageListener) { messageListeners.append(listener) }

    func addConnectionStatusListener(_ listener: any SPConnectionStatusListener) {
        connectionListeners.append(listener)
    }

    /// Registers a type; one that another class has is refused.
    func registerMessageType<Content: SPMessageContentProtocol>(_ messageClass: Content.Type) throws {
        let register: (ContentTypeRegistry) throws -> Void = { try $0.register(SPPayload<Content>.self) }
        if let store { try register(store.contentTypes) }
        registrations.append(register)
    }

    /// Before connecting.
    ///
    /// - Returns: false where the plug-in is registered, or it is too late.
    func registerPlugin(_ plugin: any SPPlugin) -> Bool {
        guard store == nil, !plugins.contains(where: { $0 === plugin }) else { return false }
        plugins.append(plugin)
        return true
    }

    func unRegisterPlugin(_ plugin: any SPPlugin) -> Bool {
        guard let index = plugins.firstIndex(where: { $0 === plugin }) else { return false }
        plugins.remove(at: index)
        feeds.removeValue(forKey: ObjectIdentifier(plugin))?.cancel()
        return true
    }

    /// Opens the user's store, connects, and receives what the server kept.
    func connect(_ uid: String, sign: String, success: () -> Void, error: (Int) -> Void) throws {
        let store = try open(uid)
        for plugin in plugins { plugin.onLogin(appkey, userId: uid) }
        try status(SessionStateChanged(.connecting))
        guard server.accept(sign) else {
            try status(SessionStateChanged(.disconnected, code: 401, text: "the signature is wrong"))
            return error(401)
        }
        try status(SessionStateChanged(.connected))
        success()
        let kept = server.fetch().map { $0.event(origin: .offline) }
        if !kept.isEmpty { tell(try store.arrivals(of: OfflinePackage(index: 0, events: kept, hasMore: false))) }
        try store.record(Event(OfflineSyncCompleted(), origin: .offline))
        server.confirm()
    }

    private func open(_ uid: String) throws -> MessageStore {
        if let store { return store }
        var configuration = MessageStore.Configuration()
        let clock = server.script.clock
        configuration.now = { clock.now }
        do {
            let opened = try MessageStore.open(directory, account: UserID(uid), configuration: configuration)
            for register in registrations { try register(opened.contentTypes) }
            store = opened
            for plugin in plugins { feeds[ObjectIdentifier(plugin)] = feed(plugin, from: opened) }
            for listener in connectionListeners { listener.onOpenDB(0) }
            return opened
        } catch {
            for listener in connectionListeners { listener.onOpenDB(-1) }
            throw error
        }
    }

    /// Gives a plug-in every message, stored or not, in the order of arrival; ends when the store is closed.
    private func feed(_ plugin: any SPPlugin, from store: MessageStore) -> Task<Void, Never> {
        let (deliveries, types) = (store.deliveries(), store.contentTypes)
        return Task {
            for await delivery in deliveries where !Task.isCancelled {
                guard case .message(let event, let position) = delivery.payload else { continue }
                var message = SPMessage(event, types: types)
                message.messageId = position?.rawValue ?? 0
                _ = plugin.onReceivedMessage(message)
            }
        }
    }

    /// What the server pushes.
    func push(_ frame: SpiderServer.Frame) throws {
        guard let store else { return }
        tell(try store.arrivals(of: [frame.event(origin: .live)]))
    }

    /// The connection changed.
    func status(_ state: SessionStateChanged) throws {
        try store?.record(Event(state))
        for plugin in plugins { plugin.onConnectionStatusChanged(state.state) }
        for listener in connectionListeners {
            switch state.state {
            case .connecting: listener.onConnecting()
            case .connected: listener.onConnected()
            case .kicked: listener.onKickedOffline(state.text ?? "")
            default: listener.onDisconnect(Int(state.code), describe: state.text ?? "")
            }
        }
    }

    func close() throws {
        try store?.close()
        (store, feeds) = (nil, [:])
    }

    /// Tells the listeners; plug-ins have a stream of their own.
    private func tell(_ arrivals: [Arrival]) {
        guard let types = store?.contentTypes else { return }
        for (index, arrival) in arrivals.enumerated() {
            let message =
                arrival.message.flatMap { SPMessage($0, types: types) } ?? SPMessage(arrival.event, types: types)
            for listener in messageListeners {
                listener.onReceived(message, left: arrivals.count - 1 - index, object: nil)
            }
        }
    }
}
