#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Lens: Codable {
    private enum Key: String, CodingKey {
        case account, position, badge, conversations, values, recent
    }

    /// Reads what ``encode(to:)`` wrote.
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

    /// Reads what ``encode(to:)`` wrote.
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
