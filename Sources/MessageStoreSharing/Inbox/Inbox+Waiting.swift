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

        /// How many messages wait, by conversation; those of this account are among them.
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
    /// lens writes it before it removes what it recorded: who reads the inbox first and the lens after it misses nothing.
    ///
    /// - Throws: `StoreError`: `invalidArgument` where the path is empty, `permissionDenied`, `inputOutput` and others. A
    ///   directory that does not exist has nothing.
    public func waiting() throws -> Waiting {
        try StoreError.translating {
            let directory = try InboxDirectory(path)
            var waiting = Waiting()
            for name in try directory.next(limit: .max) {
                do {
                    guard let bytes = try directory.read(name) else { continue }
                    for event in try InboxFile.known(bytes, for: account) { waiting.add(event, of: account) }
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
