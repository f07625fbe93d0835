internal import MessageStoreSealing

/// A directory through which any process hands events to the process that writes a store: a push extension, a share
/// extension, a helper.
///
/// ```swift
/// let inbox = Inbox(at: "/path/to/shared/inbox", account: "alice")
/// try inbox.handOver([.received("m1", from: "bob", in: .group("g1"), at: .now, content: .text("hello"))])
/// ```
///
/// It works like a Maildir: each call writes one file under a name of its own, so that any number of processes use it at
/// once and none ever holds a lock, which a system could kill a suspended process for. The store named it in its
/// configuration records the files, whether it is open at the moment or is opened later.
///
/// - **Durability:** when ``handOver(_:)`` returns, the events are on the medium. They are recorded when the store
///   is open: in the order of the files, the events of one file in one commit.
/// - **Exactly once:** a file that is recorded twice, since its process was killed in between, changes nothing. Events
///   without an id get one that is made of the file's name.
/// - **Memory:** that of the events and their file. No database is opened.
///
/// ``waiting()`` returns the events that the store has yet to record, so that a notification can count it.
public struct Inbox: Sendable, Hashable {
    /// How much may wait in an inbox.
    public struct Limits: Sendable, Hashable {
        /// Files that wait. Default: 4,096.
        public var files = 4096
        /// Their bytes. Default: 64 MB.
        public var bytes = 64 << 20

        /// The defaults.
        public init() {}
    }

    /// Bytes of the largest file; more events are handed over in several calls.
    public static let maximumFileBytes = InboxFile.maximumBytes

    /// The directory.
    public let path: String
    /// The account whose store the events are for.
    public let account: UserID
    private let limits: Limits
    private let key: KeySource?

    /// Names the directory; the first ``handOver(_:)`` creates it if its parent exists.
    ///
    /// - Parameters:
    ///   - path: The directory, the same as in the configuration of the store. Each account's store needs one of its own.
    ///   - account: The account whose store it is, 1 to 255 bytes. Files of other accounts are rejected by the store.
    ///   - limits: The limits of waiting files.
    ///   - key: Gives the key of a sealed store, by which files are sealed; nil if the store is not sealed.
    public init(at path: String, account: UserID, limits: Limits = Limits(), key: KeySource? = nil) {
        (self.path, self.account, self.limits, self.key) = (path, account, limits, key)
    }

    /// Compares path, account and limits.
    public static func == (first: Inbox, second: Inbox) -> Bool {
        (first.path, first.account, first.limits) == (second.path, second.account, second.limits)
    }

    /// Hashes the path and the account.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(account)
    }

    private func secretKey() throws -> SecretKey? {
        try key.map { InboxFile.key(of: try $0.secretKey(for: path)) }
    }

    /// Hands over events, all or none: they are durable when this returns.
    ///
    /// Costs a listing of the files that wait and two flushes, whatever the number of events.
    ///
    /// - Parameter events: In the order in which they are to be recorded; none is harmless. Events of the host's own types
    ///   are written with the fields that they declare, and the store has to have the types registered.
    /// - Throws: `StoreError`, and nothing is handed over, unless the last flush failed (`inputOutput`) while the store
    ///   recorded the file at once: `inboxFull` if too much waits; `invalidArgument` if an event breaks a rule, the
    ///   file would be larger than ``maximumFileBytes``, or the parent of the directory does not exist; `keyUnavailable`;
    ///   `keyRefused` unless the key has 32 bytes; `diskFull`,
    ///   `permissionDenied`, `notAStore` if the directory is something else, and others.
    public func handOver(_ events: [Event]) throws {
        guard !events.isEmpty else { return }
        try StoreError.translating {
            let key = try secretKey()
            let (content, name) = (try InboxFile.encode(events, for: account), InboxFileName.next())
            let bytes = key.map { InboxFile.sealed(content, name, $0) } ?? content
            let directory = try InboxDirectory(path)
            try directory.create()
            let waiting = try directory.waiting(limit: limits.files)
            guard waiting.files < limits.files, bytes.count <= limits.bytes,
                waiting.bytes <= limits.bytes - bytes.count
            else {
                throw StoreError(
                    .inboxFull, "\(waiting.files) files with \(waiting.bytes) bytes wait to be recorded", path: path)
            }
            try directory.add(bytes, as: name)
        }
    }
}

extension Inbox {
    /// The messages that wait in an inbox, each once, whatever number of files has it.
    public struct Waiting: Sendable, Hashable {
        /// The parts of a message that a badge depends on.
        struct Message: Sendable, Hashable {
            let conversation: ConversationKey
            let place: MessageOrder
            /// As the lens has it.
            let hash: UInt64
            /// Whether it counts as unread above the read marker.
            let canCount: Bool
            let mentionsAccount: Bool
        }

        var messages: [Message] = []
        private var names: Set<UInt64> = []
        private var tokens: Set<[String]> = []

        /// How many messages wait, by conversation; this account's are among them.
        public var messageCounts: [ConversationKey: Int] {
            messages.reduce(into: [:]) { $0[$1.conversation, default: 0] += 1 }
        }

        /// Whether a message waits.
        ///
        /// Of messages that do not wait, one in 10¹⁶ is taken for one that does.
        public func hasMessage(_ message: ServerMessageID, in conversation: ConversationKey) -> Bool {
            names.contains(Lens.hash(message, conversation))
        }

        /// Adds the message of an event, unless it is known.
        mutating func add(_ event: Event, of account: UserID) {
            guard let message = event.payload as? MessageReceived, let conversation = event.conversation,
                message.policy.isStored
            else { return }
            let hash = Lens.hash(message.serverID, conversation)
            guard names.insert(hash).inserted else { return }
            // The token of a sender's device names a message as well.
            if let token = message.clientToken,
                !tokens.insert([message.sender.rawValue, token.rawValue]).inserted
            {
                return
            }
            let canCount =
                message.sender != account && message.policy.countsUnread && event.origin != .history
                && message.flags?.contains(.read) != true && conversation.kind != .chatRoom
                && !message.isDirected(past: account, in: conversation.kind)
            messages.append(
                Message(
                    conversation: conversation,
                    place: MessageOrder(time: message.sentTime, id: message.serverID), hash: hash,
                    canCount: canCount, mentionsAccount: message.context.mentions(account)))
        }
    }

    /// The messages that wait to be recorded.
    ///
    /// Reads and decodes each file that waits, one at a time. A file that the store will reject, because it is damaged or
    /// for another account, counts for nothing, and neither does an event whose type only the app knows. A store that has a
    /// lens writes it before it removes recorded files: a process that reads the inbox first and the lens after it
    /// misses nothing.
    ///
    /// - Throws: `StoreError`: `invalidArgument` if the path is empty, `keyUnavailable` and `keyRefused` for sealed files,
    ///   `permissionDenied`, `inputOutput` and others. A directory that does not exist has nothing.
    public func waiting() throws -> Waiting {
        try StoreError.translating {
            let directory = try InboxDirectory(path)
            var waiting = Waiting()
            let key = try secretKey()
            for name in try directory.next(limit: .max) {
                do {
                    guard let bytes = try directory.read(name) else { continue }
                    let content = try InboxFile.opened(bytes, name, key, path: path)
                    for event in try InboxFile.known(content, for: account) { waiting.add(event, of: account) }
                } catch is Rejection {}
            }
            return waiting
        }
    }

    /// Whether a message waits to be recorded; see ``waiting()``, which answers it for any number of messages at once.
    ///
    /// - Throws: As ``waiting()``.
    public func hasWaiting(_ message: ServerMessageID, in conversation: ConversationKey) throws -> Bool {
        try waiting().hasMessage(message, in: conversation)
    }
}
