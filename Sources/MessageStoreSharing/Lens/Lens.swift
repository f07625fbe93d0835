internal import MessageStoreLMDB
package import MessageStoreSealing

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The values that a process without the store needs to show a notification: badge, names, mutes, read places and
/// recent messages, as the store last wrote them to a small file.
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
        /// The messages that notified when the lens was written.
        public let notificationLevel: NotificationLevel
        /// Until when that holds, by the server's clock; nil for good.
        public let mutedUntil: Timestamp?
        /// Its unread messages.
        public let unreadMessages: Int
        /// Its unread messages that mention this account, by name or as one of all.
        public let unreadMentions: Int
        /// Whether it has the mark "unread".
        public let isMarkedUnread: Bool
        /// The place up to which this account has read it; nil if it has read nothing.
        public let readUpTo: MessageOrder?
        /// The place above which a new message makes more unread: ``readUpTo``, or a higher one up to which a server counted.
        public let countsAbove: MessageOrder?

        /// The messages that notify at a time.
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
    /// The values that the host added.
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

    /// The conversation of a key, if it is among ``conversations``.
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
    /// - Parameters:
    ///   - path: The file, as in the configuration of the store. Links are not followed.
    ///   - key: Gives the key of a sealed store; nil if the store is not sealed.
    /// - Throws: `StoreError`: `storeMissing` if there is no file yet, `lensDamaged` if it is not whole or of a later
    ///   format, `keyUnavailable`, `keyRefused`, `permissionDenied` and others. A process that has an earlier lens should
    ///   keep it then.
    public init(at path: String, key: KeySource? = nil) throws {
        var bytes: [UInt8]
        do {
            bytes = try StoreError.translating { try FileSystem.read(path, limit: Self.maximumFileBytes + 1) }
        } catch let error as StoreError where error.code == .storeMissing {
            throw StoreError(
                .storeMissing, "no lens yet: a store that is opened with `Configuration.processes.lens` writes it",
                path: path)
        }
        if SealedFile.isSealed(bytes) {
            let key = try key.map { Self.key(of: try $0.secretKey(for: path)) }
            bytes = try SealedFile.open(bytes, Self.format, key, path: path) ?? []
        } else if key != nil, (try? Lens(decoding: bytes)) != nil {
            throw StoreError(.keyRefused, "a key is given, and the lens is not sealed", path: path)
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

    /// The key of the lens, which follows from that of the host.
    package static func key(of host: SecretKey) -> SecretKey { host.derived(info: Array("lens".utf8)) }

    /// Bytes of the largest file, sealed or not.
    private static let maximumFileBytes = maximumBytes + SealedFile.overhead

    /// The bytes of the file.
    ///
    /// - Parameter key: Seals it; nil for a clear one. See ``key(of:)``.
    /// - Throws: ``StoreError`` with code `invalidArgument` if it would be too large.
    package func encoded(sealedBy key: SecretKey? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try SignedLines.add(
            FileHeader(format: Self.format, formatVersion: Self.formatVersion, account: account), to: &bytes)
        try SignedLines.add(self, to: &bytes)
        try SignedLines.sign(&bytes)
        guard bytes.count <= Self.maximumBytes else {
            throw StoreError(
                .invalidArgument, "a lens of \(bytes.count) bytes is too large: \(Self.maximumBytes) at most")
        }
        if let key { return SealedFile.seal(bytes, Self.format, key) }
        return bytes
    }
}

extension Lens {
    /// The number for the app's icon at a time, with the messages that wait in the inbox: the one that the store shows
    /// once it has recorded them.
    ///
    /// It counts a waiting message if the store would: one of somebody else, above ``Conversation/countsAbove``, that
    /// counts by its policy and does not come from history. A conversation that is not among ``conversations`` is taken
    /// for one without a read marker that is not muted. Changes by other waiting events are not known here.
    ///
    /// - Parameters:
    ///   - waiting: The content of the inbox, read before or after the lens.
    ///   - time: The present, by the server's clock. Mutes that have ended by then no longer count.
    public func badge(adding waiting: Inbox.Waiting, at time: Timestamp) -> Int {
        var added: [ConversationKey: (messages: Int, mentions: Int)] = [:]
        let listed = Dictionary(conversations.map { ($0.key, $0) }) { first, _ in first }
        for message in waiting.messages where !recent.contains(message.hash) && message.canCount {
            let marker = listed[message.conversation]?.countsAbove
            if let marker, message.place <= marker || message.place.id == marker.id { continue }
            added[message.conversation, default: (0, 0)].messages += 1
            if message.mentionsAccount { added[message.conversation]?.mentions += 1 }
        }
        var badge = badge
        for conversation in conversations {
            let new = added.removeValue(forKey: conversation.key) ?? (0, 0)
            badge -= conversation.badge(at: conversation.notificationLevel, adding: (0, 0))
            badge += conversation.badge(at: conversation.notificationLevel(at: time), adding: new)
        }
        return added.values.reduce(badge) { $0 + $1.messages }
    }

    /// When to look at ``badge(adding:at:)`` again: the first mute of a conversation ends then. nil if none ends after
    /// a time.
    public func nextChange(after time: Timestamp) -> Timestamp? {
        conversations.lazy.filter { $0.notificationLevel != .all }.compactMap(\.mutedUntil).filter { $0 > time }.min()
    }

    static func hash(_ message: ServerMessageID, _ conversation: ConversationKey) -> UInt64 {
        let channel = conversation.channel.map { "\($0.utf8.count)/\($0)" } ?? "-"
        return XXH64.hash(
            "\(conversation.kind.rawValue)/\(conversation.id.utf8.count)/\(conversation.id)/\(channel)/\(message.rawValue)"
        )
    }
}

extension Lens.Conversation {
    /// The number that it adds to the badge under a level.
    fileprivate func badge(at level: NotificationLevel, adding new: (messages: Int, mentions: Int)) -> Int {
        let messages = unreadMessages + new.messages
        return switch level {
        case .all: messages == 0 && isMarkedUnread ? 1 : messages
        case .mentionsOnly: unreadMentions + new.mentions
        case .nothing: 0
        }
    }
}

extension Lens: Codable {
    private enum Key: String, CodingKey {
        case account, position, badge, conversations, values, recent
    }

    /// Reads a value that ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        account = try container.decode(UserID.self, forKey: .account)
        position = try container.decode(Position.self, forKey: .position)
        badge = try container.decode(Int.self, forKey: .badge)
        conversations = try container.decode([Conversation].self, forKey: .conversations)
        values = try container.decode([String: String].self, forKey: .values)
        let bytes = [UInt8](try container.decode(Data.self, forKey: .recent))
        recent = Set(
            stride(from: 0, to: bytes.count - 7, by: 8).map { start in
                (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[start + $1]) }
            })
    }

    /// Writes the lens under stable keys.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(account, forKey: .account)
        try container.encode(position, forKey: .position)
        try container.encode(badge, forKey: .badge)
        try container.encode(conversations, forKey: .conversations)
        try container.encode(values, forKey: .values)
        let hashes = recent.ordered().flatMap { hash in (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
        }
        try container.encode(Data(hashes), forKey: .recent)
    }
}

extension Lens.Conversation: Codable {
    private enum Key: String, CodingKey {
        case key, displayName, avatarURL, notificationLevel, mutedUntil, unreadMessages, unreadMentions,
            isMarkedUnread, readUpTo, countsAbove
    }

    /// Reads a value that ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let level = try container.decode(UInt8.self, forKey: .notificationLevel)
        self.init(
            key: try container.decode(ConversationKey.self, forKey: .key),
            displayName: try container.decode(String.self, forKey: .displayName),
            avatarURL: try container.decodeIfPresent(String.self, forKey: .avatarURL),
            // A later version may know more levels.
            notificationLevel: NotificationLevel(rawValue: level) ?? .all,
            mutedUntil: try container.decodeIfPresent(Timestamp.self, forKey: .mutedUntil),
            unreadMessages: try container.decode(Int.self, forKey: .unreadMessages),
            // An earlier version wrote neither of these two, nor the last one.
            unreadMentions: try container.decodeIfPresent(Int.self, forKey: .unreadMentions) ?? 0,
            isMarkedUnread: try container.decodeIfPresent(Bool.self, forKey: .isMarkedUnread) ?? false,
            readUpTo: try container.decodeIfPresent(MessageOrder.self, forKey: .readUpTo),
            countsAbove: try container.decodeIfPresent(MessageOrder.self, forKey: .countsAbove))
    }

    /// Writes the conversation under stable keys.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(key, forKey: .key)
        try container.encode(displayName, forKey: .displayName)
        try container.encodeIfPresent(avatarURL, forKey: .avatarURL)
        try container.encode(notificationLevel.rawValue, forKey: .notificationLevel)
        try container.encodeIfPresent(mutedUntil, forKey: .mutedUntil)
        try container.encode(unreadMessages, forKey: .unreadMessages)
        try container.encode(unreadMentions, forKey: .unreadMentions)
        try container.encode(isMarkedUnread, forKey: .isMarkedUnread)
        try container.encodeIfPresent(readUpTo, forKey: .readUpTo)
        try container.encodeIfPresent(countsAbove, forKey: .countsAbove)
    }
}
