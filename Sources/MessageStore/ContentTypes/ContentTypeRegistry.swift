internal import MessageStoreLMDB

/// What the types of content mean to a host: how they are read, counted and put into one line.
///
/// Everything is resolved when it is asked for, never when a message is recorded, except for the policy. So a type
/// that is registered late repairs old messages, and one that is removed leaves them readable. All
/// methods may be called from any thread, also from inside a `read`; a host's code runs without a lock held.
public final class ContentTypeRegistry: Sendable {
    struct Entry: Sendable {
        let payload: any MessagePayload.Type
        var text: (@Sendable (any MessagePayload) throws -> String?)?
    }

    private struct State: Sendable {
        var entries: [ContentType: Entry] = [:]
        var namespaces: [TypeNamespace] = []
        var label: @Sendable (ContentType) -> String = { $0.rawValue }
    }

    private let state: Locked<State>

    /// A registry of the built-in types: text, image, audio, video, location, file, tip, notification and call.
    public init() {
        let builtIn: [any MessagePayload.Type] = [
            TextPayload.self, ImagePayload.self, AudioPayload.self, VideoPayload.self, LocationPayload.self,
            FilePayload.self, TipPayload.self, NotificationPayload.self, CallPayload.self,
        ]
        var state = State()
        for payload in builtIn { state.entries[payload.contentType] = Entry(payload: payload) }
        self.state = Locked(state)
    }

    /// Registers a type; from now on its messages are read by it, old ones too.
    ///
    /// Registering the same payload again replaces its `text`. To replace a built-in type, unregister it first.
    ///
    /// - Parameters:
    ///   - payload: The payload; its ``MessagePayload/contentType`` is the key.
    ///   - text: Puts a payload into one line, before its own digest is asked; nil, or a throw, leaves it to that.
    /// - Throws: `StoreError.Code.invalidArgument` where the key is empty, longer than 255 bytes, in a service's reserved
    ///   range, or registered by another payload; nothing is changed.
    public func register<Payload: MessagePayload>(
        _ payload: Payload.Type, text: (@Sendable (Payload) throws -> String?)? = nil
    ) throws {
        let type = Payload.contentType
        guard (1...EventLimits.identifierBytes).contains(type.rawValue.utf8.count) else {
            throw StoreError(.invalidArgument, "a content type has 1 to \(EventLimits.identifierBytes) bytes")
        }
        var entry = Entry(payload: payload)
        if let text {
            entry.text = { value in try (value as? Payload).flatMap { try text($0) } }
        }
        try state.withLock { [entry] state throws in
            if let namespace = state.namespaces.first(where: { $0.reserves(type) }) {
                throw StoreError(.invalidArgument, "\(type) is in the range that \(namespace.name) keeps for itself")
            }
            if let known = state.entries[type], known.payload != payload {
                throw StoreError(.invalidArgument, "\(type) is registered by another payload, \(known.payload)")
            }
            state.entries[type] = entry
        }
    }

    /// Removes a type's registration; its messages are unknown from now on, their bytes untouched.
    ///
    /// Harmless where the type is not registered.
    public func unregister(_ type: ContentType) {
        state.withLock { _ = $0.entries.removeValue(forKey: type) }
    }

    /// Guards a service's range of numbers against registrations; `leanCloud` and `spider` are guarded already.
    ///
    /// Types that were registered before stay.
    ///
    /// - Throws: `StoreError.Code.invalidArgument` where the name is taken by other numbers.
    public func reserve(_ namespace: TypeNamespace) throws {
        try state.withLock { state throws in
            if let known = state.namespaces.first(where: { $0.name == namespace.name }) {
                guard known == namespace else {
                    throw StoreError(.invalidArgument, "the namespace \(namespace.name) is taken by other numbers")
                }
            } else {
                state.namespaces.append(namespace)
            }
        }
    }

    /// What a type is called in a digest, without the brackets; replace it to speak the user's language.
    ///
    /// Default: the type's key.
    public var label: @Sendable (ContentType) -> String {
        get { state.withLock { $0.label } }
        set { state.withLock { $0.label = newValue } }
    }

    /// What a content's bytes mean; one that no registered type reads is unknown, never an error.
    public func decode(_ content: MessageContent) -> DecodedContent {
        guard let payload = entry(content.type)?.decode(content) else {
            return .unknown(degradeText: content.degradeText)
        }
        return .payload(payload)
    }

    /// The policy to record a message with: the registered type's, else the sender's flag, else kept and not counted.
    ///
    /// - Parameters:
    ///   - type: The message's type.
    ///   - senderFlag: What the sender asked for, if anything.
    public func policy(of type: ContentType, senderFlag: MessagePolicy? = nil) -> MessagePolicy {
        entry(type)?.payload.policy ?? senderFlag ?? .uncounted
    }

    /// The events, each received message with the policy that it is recorded with.
    func settlingPolicies(of events: [Event]) -> [Event] {
        let policies = state.withLock { state in state.entries.compactMapValues { entry in entry.payload.policy } }
        guard !policies.isEmpty else { return events }
        return events.map { event in
            guard var message = event.payload as? MessageReceived, let policy = policies[message.content.type] else {
                return event
            }
            var event = event
            message.policy = policy
            event.payload = message
            return event
        }
    }

    func entry(_ type: ContentType) -> Entry? {
        state.withLock { $0.entries[type] }
    }
}

extension ContentTypeRegistry.Entry {
    /// The payload of a content; nil where its decoder threw.
    func decode(_ content: MessageContent) -> (any MessagePayload)? {
        try? payload.init(decoding: content)
    }
}
