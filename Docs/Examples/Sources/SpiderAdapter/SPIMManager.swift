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
    private var registrations: [(ContentTypeRegistry) throws -> Void] = []
    private(set) var subscriptions: [Subscription] = []
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
    /// - Returns: false where another plug-in has the name, or it is too late.
    func registerPlugin(_ plugin: any SPPlugin) -> Bool {
        guard store == nil, !plugins.contains(where: { $0.name == plugin.name }) else { return false }
        plugins.append(plugin)
        return true
    }

    func unRegisterPlugin(_ plugin: any SPPlugin) throws -> Bool {
        guard let index = plugins.firstIndex(where: { $0 === plugin }) else { return false }
        plugins.remove(at: index)
        subscriptions.first { $0.name == plugin.name }?.cancel()
        subscriptions.removeAll { $0.name == plugin.name }
        try store?.removeSubscriber(named: plugin.name)
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
            subscriptions = try plugins.map {
                try opened.subscribe(PluginSubscriber(plugin: $0, types: opened.contentTypes))
            }
            for listener in connectionListeners { listener.onOpenDB(0) }
            return opened
        } catch {
            for listener in connectionListeners { listener.onOpenDB(-1) }
            throw error
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
        store = nil
    }

    /// Listeners hear of all; plug-ins hear here of what is not stored, and of the rest from the log.
    private func tell(_ arrivals: [Arrival]) {
        guard let types = store?.contentTypes else { return }
        for (index, arrival) in arrivals.enumerated() {
            let stored = arrival.message.flatMap { SPMessage($0, types: types) }
            let message = stored ?? SPMessage(arrival.event, types: types)
            if stored == nil { for plugin in plugins { _ = plugin.onReceivedMessage(message) } }
            for listener in messageListeners {
                listener.onReceived(message, left: arrivals.count - 1 - index, object: nil)
            }
        }
    }
}
