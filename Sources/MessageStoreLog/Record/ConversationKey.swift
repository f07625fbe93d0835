/// The kind of a conversation: one of the named ones, or a number of the host's own (from 16 on).
public struct ConversationKind: NamedCode, BuiltInCode {
    /// The number stored in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The id alone is the identity; events set the kind.
    ///
    /// For keys of services whose ids are unique over all kinds. See ``ConversationFields/kind``.
    public static let unspecified = ConversationKind(rawValue: 0)
    /// Two people.
    public static let single = ConversationKind(rawValue: 1)
    /// A group with a member list.
    public static let group = ConversationKind(rawValue: 2)
    /// A chat room: no member list, no offline delivery.
    public static let chatRoom = ConversationKind(rawValue: 3)
    /// Messages of the system.
    public static let system = ConversationKind(rawValue: 4)

    package static let known: [ConversationKind: String] = [
        .unspecified: "unspecified", .single: "single", .group: "group", .chatRoom: "chatRoom", .system: "system",
    ]
}

/// A conversation's key: its kind, its id, and a channel of it if the service has such.
public struct ConversationKey: Hashable, Sendable, Codable {
    /// The kind; the same id under another kind is another conversation. If the service's ids are unique over all
    /// kinds, it is ``ConversationKind/unspecified`` in every key but chat rooms'; see ``ConversationKey/id(_:)``.
    public var kind: ConversationKind
    /// The id, at most 255 UTF-8 bytes.
    public var id: String
    /// The channel, at most 200 UTF-8 bytes, or nil.
    public var channel: String?

    /// Creates a key.
    public init(_ kind: ConversationKind, _ id: String, channel: String? = nil) {
        self.kind = kind
        self.id = id
        self.channel = channel
    }

    /// A conversation whose id alone is its identity, whatever kind it turns out to be; events set the kind.
    ///
    /// A host uses these keys for every conversation of a service whose ids are unique over all kinds, chat rooms
    /// excepted. If one id may name two conversations, the kind belongs in the key. A store that has conversations
    /// under keys of a kind keeps those keys, for which events can set another kind as well: an id under another key is
    /// another conversation.
    public static func id(_ id: String) -> ConversationKey { ConversationKey(.unspecified, id) }
    /// A conversation of two people.
    public static func single(_ id: String) -> ConversationKey { ConversationKey(.single, id) }
    /// A group.
    public static func group(_ id: String) -> ConversationKey { ConversationKey(.group, id) }
    /// A chat room.
    public static func chatRoom(_ id: String) -> ConversationKey { ConversationKey(.chatRoom, id) }
    /// Messages of the system.
    public static func system(_ id: String) -> ConversationKey { ConversationKey(.system, id) }

    /// Whether both have the same kind and the same bytes.
    public static func == (first: ConversationKey, second: ConversationKey) -> Bool {
        guard first.kind == second.kind, first.id.hasSameBytes(as: second.id) else { return false }
        switch (first.channel, second.channel) {
        case (nil, nil): return true
        case (let first?, let second?): return first.hasSameBytes(as: second)
        default: return false
        }
    }

    /// Feeds the bytes that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        id.withUTF8Bytes { hasher.combine(bytes: $0) }
    }
}

extension ConversationKey {
    /// Kind, length of the id, id, channel: the form in which the log interns a conversation.
    package var symbolBytes: [UInt8] {
        var bytes: [UInt8] = [kind.rawValue, UInt8(clamping: id.utf8.count)]
        bytes.append(contentsOf: id.utf8)
        bytes.append(contentsOf: (channel ?? "").utf8)
        return bytes
    }

    package init?(symbolBytes bytes: [UInt8]) {
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return nil }
        let end = 2 + Int(bytes[1])
        self.init(ConversationKind(rawValue: bytes[0]), String(decoding: bytes[2..<end], as: UTF8.self))
        if bytes.count > end { channel = String(decoding: bytes[end...], as: UTF8.self) }
    }
}

extension ConversationKey: LosslessStringConvertible {
    /// The kind, a colon and the id, then `#` and the channel where there is one: `group:friends`, `17:desk#support`.
    ///
    /// A kind of the host's own is its number. In the id, `#` and `\\` have a `\\` in front.
    public var description: String {
        var text = "\(kind):"
        for character in id.unicodeScalars {
            if character == "#" || character == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(character)
        }
        if let channel { text += "#" + channel }
        return text
    }

    /// Reads a ``description``; nil if there is no such kind, or no colon after it.
    public init?(_ description: String) {
        let scalars = description.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":"), let kind = ConversationKind(String(scalars[..<colon])) else {
            return nil
        }
        var id = String.UnicodeScalarView()
        var rest = scalars[colon...].dropFirst()
        while let character = rest.popFirst() {
            if character == "#" {
                self.init(kind, String(id), channel: String(rest))
                return
            }
            id.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        self.init(kind, String(id))
    }
}

extension ConversationKind: LosslessStringConvertible {
    /// Reads a name, or the number of a kind; nil for others.
    public init?(_ description: String) {
        if let kind = Self.names.first(where: { $0.value == description })?.key {
            self = kind
        } else if let number = UInt8(description) {
            self.init(rawValue: number)
        } else {
            return nil
        }
    }
}
