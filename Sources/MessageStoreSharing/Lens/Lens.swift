internal import MessageStoreLMDB

/// What a process without the store needs to show a notification: badge, names, mutes, read places and recent messages, as
/// the store last wrote them to a small file.
///
/// ```swift
/// let lens = try Lens(at: "/path/to/shared/lens")
/// if !lens.hasRecent("m1", in: group), lens.conversation(group)?.isMuted(at: .now) != true { notify() }
/// setBadge(try lens.badge(adding: inbox.waiting(), at: .now))
/// ```
///
/// The store replaces the file at most once a second, and when it is suspended or closed; see the configuration of the
/// store. A lens is a copy of one moment and never changes. Reading it opens no database and takes no lock; the
/// file has at most ``maximumBytes``.
public struct Lens: Sendable, Hashable {
    /// Bytes of the largest file: 1 MB.
    public static let maximumBytes = 1 << 20

    /// A conversation as notifications need it.
    public struct Conversation: Sendable, Hashable, Identifiable {
        /// Its key.
        public let key: ConversationKey
        /// The same as ``key``.
        public var id: ConversationKey { key }
        /// The name to show.
        public let displayName: String
        /// The URL of its picture.
        public let avatarURL: String?
        /// Which messages notify, when the lens was written.
        public let notificationLevel: NotificationLevel
        /// Until when that holds, by the server's clock; nil for good.
        public let mutedUntil: Timestamp?
        /// Its unread messages.
        public let unreadMessages: Int
        /// Those of them that mention this account, by name or as one of all.
        public let unreadMentions: Int
        /// Whether it has the mark "unread".
        public let isMarkedUnread: Bool
        /// The place up to which this account has read it; nil where it has read nothing.
        public let readUpTo: MessageOrder?
        /// The place above which a new message makes more unread: ``readUpTo``, or a higher one up to which a server counted.
        public let countsAbove: MessageOrder?

        /// Which messages notify at a time.
        public func notificationLevel(at time: Timestamp) -> NotificationLevel {
            mutedUntil.map { $0 <= time } ?? false ? .all : notificationLevel
        }

        /// Whether nothing notifies at a time.
        public func isMuted(at time: Timestamp) -> Bool {
            notificationLevel(at: time) == .nothing
        }

        /// Creates a conversation, for previews and tests. Without ``countsAbove``, ``readUpTo`` is that place.
        public init(
            key: ConversationKey, displayName: String, avatarURL: String? = nil,
            notificationLevel: NotificationLevel = .all, mutedUntil: Timestamp? = nil, unreadMessages: Int = 0,
            unreadMentions: Int = 0, isMarkedUnread: Bool = false, readUpTo: MessageOrder? = nil,
            countsAbove: MessageOrder? = nil
        ) {
            (self.key, self.displayName, self.avatarURL) = (key, displayName, avatarURL)
            (self.notificationLevel, self.mutedUntil) = (notificationLevel, mutedUntil)
            (self.unreadMessages, self.unreadMentions) = (unreadMessages, unreadMentions)
            (self.isMarkedUnread, self.readUpTo) = (isMarkedUnread, readUpTo)
            self.countsAbove = countsAbove ?? readUpTo
        }
    }

    /// The account whose store it is of.
    public let account: UserID
    /// The last event that it shows.
    public let position: Position
    /// The number for the app's icon, when the lens was written; ``badge(adding:at:)`` is that of a later time.
    public let badge: Int
    /// The conversations at the top of the list.
    public let conversations: [Conversation]
    /// What the host added.
    public let values: [String: String]
    let recent: Set<UInt64>

    /// Creates a lens, for previews and tests; the store makes its own. Of the messages in `recent`, ``hasRecent(_:in:)`` is
    /// true.
    public init(
        account: UserID, position: Position, badge: Int, conversations: [Conversation], values: [String: String] = [:],
        recent: [(message: ServerMessageID, conversation: ConversationKey)] = []
    ) {
        (self.account, self.position, self.badge) = (account, position, badge)
        (self.conversations, self.values) = (conversations, values)
        self.recent = Set(recent.map { Self.hash($0.message, $0.conversation) })
    }

    /// The conversation of a key, where it is among ``conversations``.
    public func conversation(_ key: ConversationKey) -> Conversation? { conversations.first { $0.key == key } }

    /// Whether the store has a message, as far as it is among those recorded last.
    ///
    /// Of messages that it does not have, one in 10¹⁶ is taken for one that it has.
    public func hasRecent(_ message: ServerMessageID, in conversation: ConversationKey) -> Bool {
        recent.contains(Self.hash(message, conversation))
    }
}

extension Lens {
    private static let format = "messagestore-lens"
    private static let formatVersion = 1

    /// Reads the lens of a store.
    ///
    /// - Parameter path: The file, as in the configuration of the store. Links are not followed.
    /// - Throws: `StoreError`: `storeMissing` where there is no file yet, `lensDamaged` where it is not whole or of a later
    ///   format, `permissionDenied` and others. A process that has an earlier lens should keep it then.
    public init(at path: String) throws {
        let bytes: [UInt8]
        do {
            bytes = try StoreError.translating { try FileSystem.read(path, limit: Self.maximumBytes + 1) }
        } catch let error as StoreError where error.code == .storeMissing {
            throw StoreError(
                .storeMissing, "no lens yet: a store that is opened with `Configuration.lens` writes it", path: path)
        }
        do { try self.init(decoding: bytes) } catch {
            throw StoreError(.lensDamaged, error.reason, path: path)
        }
    }

    /// - Throws: ``Rejection``.
    package init(decoding bytes: [UInt8]) throws(Rejection) {
        guard bytes.count <= Self.maximumBytes else { throw Rejection("the file is too large") }
        var rest = try SignedLines.verified(bytes)
        _ = try FileHeader.next(&rest, format: Self.format, version: Self.formatVersion, account: nil)
        guard let line = SignedLines.next(&rest), rest.isEmpty, let lens = SignedLines.decode(Self.self, line) else {
            throw Rejection("line 2 is not a lens")
        }
        self = lens
    }

    /// The bytes of the file.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where it would be too large.
    package func encoded() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try SignedLines.add(
            FileHeader(format: Self.format, formatVersion: Self.formatVersion, account: account), to: &bytes)
        try SignedLines.add(self, to: &bytes)
        try SignedLines.sign(&bytes)
        guard bytes.count <= Self.maximumBytes else {
            throw StoreError(
                .invalidArgument, "a lens of \(bytes.count) bytes is too large: \(Self.maximumBytes) at most")
        }
        return bytes
    }
}
