internal import Logging
internal import MessageStoreLMDB

/// The types of content that a host knows: how they are decoded, counted and previewed.
///
/// Content is decoded when it is needed, never when a message is recorded; only the policy is resolved then. A type
/// that is registered later therefore applies to old messages as well, and removing one leaves them readable. All
/// methods may be called from any thread, even inside a `read`; the host's code runs without a lock held.
public final class ContentTypeRegistry: Sendable {
    struct Entry: Sendable {
        let payload: any MessagePayload.Type
        var text: (@Sendable (any MessagePayload, PreviewContext?) throws -> String?)?
    }

    private struct State: Sendable {
        var entries: [ContentType: Entry] = [:]
        var namespaces: [TypeNamespace] = []
        var label: @Sendable (ContentType) -> String = { $0.rawValue }
    }

    private let state: Locked<State>
    let logger: Logger

    /// A registry of the built-in types: text, image, audio, video, location, file, tip, notification and call.
    public convenience init() {
        self.init(logger: Logger(label: "MessageStore", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    /// A registry that logs errors of hooks.
    init(logger: Logger) {
        self.logger = logger
        let builtIn: [any MessagePayload.Type] = [
            TextPayload.self, ImagePayload.self, AudioPayload.self, VideoPayload.self, LocationPayload.self,
            FilePayload.self, TipPayload.self, NotificationPayload.self, CallPayload.self,
        ]
        var state = State()
        for payload in builtIn { state.entries[payload.contentType] = Entry(payload: payload) }
        self.state = Locked(state)
    }

    /// Registers a type; from now on it decodes its messages, old ones as well.
    ///
    /// Registering the same payload again replaces its `text`. To replace a built-in type, unregister it first.
    ///
    /// - Parameters:
    ///   - payload: The payload; its ``MessagePayload/contentType`` is the key.
    ///   - text: Makes a preview of a payload, in place of its own ``MessagePayload/preview``; if it returns nil or
    ///     throws, that is used.
    /// - Throws: `StoreError.Code.invalidArgument` if the key is empty, longer than 255 bytes, in a service's reserved
    ///   range, or registered by another payload; nothing is changed.
    public func register<Payload: MessagePayload>(
        _ payload: Payload.Type, text: (@Sendable (Payload) throws -> String?)? = nil
    ) throws {
        var entry = Entry(payload: payload)
        if let text {
            entry.text = { value, _ in try (value as? Payload).flatMap { try text($0) } }
        }
        try register(entry, of: Payload.contentType)
    }

    /// Registers a type whose preview depends on its message, such as "Tom recalled a message"; otherwise as
    /// ``register(_:text:)``.
    ///
    /// ```swift
    /// try types.register(TipPayload.self, messageText: { tip, message in
    ///     tip.fields["kind"] == "recall" ? "\(message?.senderName ?? "Somebody") recalled a message" : nil
    /// })
    /// ```
    ///
    /// - Parameters:
    ///   - payload: The payload; its ``MessagePayload/contentType`` is the key.
    ///   - messageText: Makes a preview of a payload and its message, in place of the payload's own
    ///     ``MessagePayload/preview``; if it returns nil or throws, that is used. The message is nil if content is
    ///     previewed alone. The hook may run inside a read, where using the store throws `nestedAccess`; the store logs
    ///     its errors.
    /// - Throws: As ``register(_:text:)``.
    public func register<Payload: MessagePayload>(
        _ payload: Payload.Type, messageText: @escaping @Sendable (Payload, PreviewContext?) throws -> String?
    ) throws {
        var entry = Entry(payload: payload)
        entry.text = { value, context in try (value as? Payload).flatMap { try messageText($0, context) } }
        try register(entry, of: Payload.contentType)
    }

    private func register(_ entry: Entry, of type: ContentType) throws {
        guard (1...EventLimits.identifierBytes).contains(type.rawValue.utf8.count) else {
            throw StoreError(.invalidArgument, "a content type has 1 to \(EventLimits.identifierBytes) bytes")
        }
        try state.withLock { state throws in
            if let namespace = state.namespaces.first(where: { $0.reserves(type) }) {
                throw StoreError(.invalidArgument, "\(type) is in the range that \(namespace.name) keeps for itself")
            }
            if let known = state.entries[type], known.payload != entry.payload {
                throw StoreError(.invalidArgument, "\(type) is registered by another payload, \(known.payload)")
            }
            state.entries[type] = entry
        }
    }

    /// Removes a type's registration; its messages become unknown, and their bytes stay unchanged.
    ///
    /// Does nothing if the type is not registered.
    public func unregister(_ type: ContentType) {
        state.withLock { _ = $0.entries.removeValue(forKey: type) }
    }

    /// Reserves a service's range of numbers, so that no host's type can be registered in it, and lets messages that
    /// the service would refuse for want of a text not be queued (``TypeNamespace/requiringText``).
    ///
    /// Types that were registered before stay registered.
    ///
    /// - Throws: `StoreError.Code.invalidArgument` if the name is taken by other numbers.
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

    /// The name of a type in a preview, without the brackets; replace it to localise it.
    ///
    /// Default: the type's key.
    public var label: @Sendable (ContentType) -> String {
        get { state.withLock { $0.label } }
        set { state.withLock { $0.label = newValue } }
    }

    /// Decodes content; content that no registered type can decode is unknown, never an error.
    public func decode(_ content: MessageContent) -> DecodedContent {
        guard let payload = entry(content.type)?.decode(content) else {
            return .unknown(degradeText: content.degradeText)
        }
        return .payload(payload)
    }

    /// The policy for recording a message: the registered type's, else the sender's flag, else kept and not counted.
    ///
    /// - Parameters:
    ///   - type: The message's type.
    ///   - senderFlag: The policy that the sender requested, if any.
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

    /// Refuses messages to send that a reserved namespace's service would refuse for want of a text.
    ///
    /// - Throws: `StoreError` with code `invalidArgument`.
    func checkTexts(of events: [Event]) throws {
        let namespaces = state.withLock { state in state.namespaces.filter { !$0.requiringText.isEmpty } }
        guard !namespaces.isEmpty else { return }
        // By index, which copies no event.
        for index in events.indices where events[index].type == .messageSendQueued {
            guard let content = (events[index].payload as? MessageSendQueued)?.content, content.text?.isEmpty ?? true
            else { continue }
            if let namespace = namespaces.first(where: { $0.requiresText(content.type) }) {
                throw StoreError(
                    .invalidArgument, "a message of type \(content.type) has no text; \(namespace.name) requires one")
            }
        }
    }

    func entry(_ type: ContentType) -> Entry? {
        state.withLock { $0.entries[type] }
    }
}

extension ContentTypeRegistry.Entry {
    /// The payload of a content; nil if its decoder threw.
    func decode(_ content: MessageContent) -> (any MessagePayload)? {
        try? payload.init(decoding: content)
    }
}

extension ContentTypeRegistry {
    /// A preview of content in one line, for the conversation list and notifications.
    ///
    /// The first of: the `digest` in its attributes or data; the line of the registered type; its text; its `typeTitle`
    /// in brackets; its `degrade` text; the type's ``label`` in brackets. Empty strings are ignored, except for a line
    /// that the registered type returned. The content's message is not known to a hook; if there is one, preview the
    /// message instead.
    public func preview(of content: MessageContent) -> String { preview(of: content, in: nil) }

    private func preview(of content: MessageContent, in context: PreviewContext?) -> String {
        typealias Key = MessageContent.AttributeKey
        let attributes = content.jsonAttributes ?? [:]
        if let explicit = attributes[Key.digest]?.nonEmptyString ?? content.previewInData, !explicit.isEmpty {
            return explicit
        }
        if let line = line(of: content, in: context) { return line }
        if let text = content.text, !text.isEmpty { return text }
        if let title = attributes[Key.typeTitle]?.nonEmptyString { return "[\(title)]" }
        return attributes[Key.degrade]?.nonEmptyString ?? "[\(label(content.type))]"
    }

    /// A preview of a conversation's last message in one line; nil if it was recalled or redacted.
    public func preview(of message: MessagePreview) -> String? {
        message.content.map { preview(of: $0, in: PreviewContext(message)) }
    }

    /// A preview of a message in one line, such as the words of a tip in a timeline; nil if it was recalled or
    /// redacted.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - senderName: The name that a hook gets, as `Views.senderName(of:)` gives it; nil for the one that came with
    ///     the message, or the id.
    public func preview(of message: Message, senderName: String? = nil) -> String? {
        if message.isRecalled || message.isRedacted { return nil }
        return preview(of: message.content, in: PreviewContext(message, senderName: senderName))
    }

    /// The line that the host's hook or the payload itself gives.
    private func line(of content: MessageContent, in context: PreviewContext?) -> String? {
        guard let entry = entry(content.type), let payload = entry.decode(content) else { return nil }
        do {
            if let hooked = try entry.text?(payload, context) { return hooked }
        } catch {
            // An error of the host may quote the message.
            let words = (error as? StoreError)?.description ?? "\(type(of: error))"
            logger.error("a hook of message texts failed", metadata: ["type": "\(content.type)", "error": "\(words)"])
        }
        return payload.preview
    }
}

extension JSONValue {
    fileprivate var nonEmptyString: String? {
        stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The message for which a host's hook makes a line, such as "Tom recalled a message".
public struct PreviewContext: Sendable, Hashable {
    /// The message.
    public let id: LocalMessageID
    /// The server's id of it; nil while a sent message is not acknowledged.
    public let serverID: ServerMessageID?
    /// Its conversation.
    public let conversation: ConversationKey
    /// The sender.
    public let sender: UserID
    /// The sender's name: the one to show if that is known, else the one that came with the message, else the id.
    public let senderName: String
    /// Whether this account sent it.
    public let isOutgoing: Bool
    /// When it was sent.
    public let time: Timestamp

    /// Creates a context, for tests.
    public init(
        id: LocalMessageID, serverID: ServerMessageID? = nil, conversation: ConversationKey, sender: UserID,
        senderName: String? = nil, isOutgoing: Bool = false, time: Timestamp
    ) {
        self.id = id
        self.serverID = serverID
        self.conversation = conversation
        self.sender = sender
        self.senderName = senderName ?? sender.rawValue
        self.isOutgoing = isOutgoing
        self.time = time
    }

    /// The context of a conversation's last message.
    public init(_ message: MessagePreview) {
        self.init(
            id: message.id, serverID: message.serverID, conversation: message.conversation, sender: message.sender,
            senderName: message.senderName, isOutgoing: message.isOutgoing, time: message.time)
    }

    /// The context of a message of a timeline.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - senderName: The name to show, as `Views.senderName(of:)` gives it; nil for the one that came with the
    ///     message.
    public init(_ message: Message, senderName: String? = nil) {
        self.init(
            id: message.id, serverID: message.serverID, conversation: message.conversation, sender: message.sender,
            senderName: senderName ?? message.senderProfile?.name, isOutgoing: message.isOutgoing, time: message.time)
    }
}
