/// An identifier that a server or a host chose: a non-empty string of at most 255 UTF-8 bytes.
///
/// Identifiers are compared byte for byte, without Unicode normalisation. The limit is checked when an
/// event is recorded, not here.
public protocol StringIdentifier: RawRepresentable, Hashable, Sendable, Codable, Comparable,
    ExpressibleByStringInterpolation, CustomStringConvertible
where RawValue == String {
    /// Wraps `rawValue` as it is.
    init(rawValue: String)
}

extension StringIdentifier {
    /// Wraps `string` as it is.
    public init(_ string: String) {
        self.init(rawValue: string)
    }

    /// Wraps a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The value as it is shown to people.
    public var description: String { rawValue }

    /// Whether both have the same bytes; canonically equivalent strings of other bytes are other identifiers.
    public static func == (first: Self, second: Self) -> Bool {
        first.rawValue.hasSameBytes(as: second.rawValue)
    }

    /// Feeds the bytes that equality compares.
    public func hash(into hasher: inout Hasher) {
        rawValue.withUTF8Bytes { hasher.combine(bytes: $0) }
    }

    /// Byte order, the same on every machine.
    public static func < (first: Self, second: Self) -> Bool {
        first.rawValue.utf8.lexicographicallyPrecedes(second.rawValue.utf8)
    }
}

/// A user (a "client id" on the wire), unique within a store's server.
public struct UserID: StringIdentifier {
    /// The identifier as the server writes it.
    public let rawValue: String
    /// Wraps the identifier as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The id that the server gave a message, unique in its conversation.
public struct ServerMessageID: StringIdentifier {
    /// The identifier as the server writes it.
    public let rawValue: String
    /// Wraps the identifier as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The token that a sender's device gave a message before the server knew it, unique for its sender.
public struct ClientToken: StringIdentifier {
    /// The token as the device wrote it.
    public let rawValue: String
    /// Wraps the token as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A token unlike any other message's, on whatever device: 126 random bits as 32 hexadecimal digits.
    public static func unique() -> ClientToken {
        let halves = (0..<2).map { _ in String(UInt64.random(in: 1 << 63 ... .max), radix: 16) }
        return ClientToken(rawValue: halves.joined())
    }
}

/// The id by which a host recognises an event that it records again, unique in a store.
public struct EventID: StringIdentifier {
    /// The identifier as the host writes it.
    public let rawValue: String
    /// Wraps the identifier as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A device of a user.
public struct DeviceID: StringIdentifier {
    /// The identifier as the server writes it.
    public let rawValue: String
    /// Wraps the identifier as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The type of a message's content: a namespaced key such as `text` or `com.example/vcard`.
public struct ContentType: StringIdentifier {
    /// The key.
    public let rawValue: String
    /// Wraps the key as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Plain text.
    public static let text = ContentType("text")
    /// A narrated action of the sender ("/me waves").
    public static let action = ContentType("action")
    /// A notice that asks for no answer, such as a bot's.
    public static let notice = ContentType("notice")
    /// A picture.
    public static let image = ContentType("image")
    /// A sound or a voice message.
    public static let audio = ContentType("audio")
    /// A film.
    public static let video = ContentType("video")
    /// A place.
    public static let location = ContentType("location")
    /// A file.
    public static let file = ContentType("file")
    /// A grey line that the system, not a person, put into the conversation.
    public static let tip = ContentType("tip")
    /// A structured notice of the service, such as of a changed team.
    public static let notification = ContentType("notification")
    /// A call that was made or missed.
    public static let call = ContentType("call")
    /// Content of a host's own, identified by its data alone.
    public static let custom = ContentType("custom")
}

extension String {
    /// Whether the string is a name in reverse-DNS notation: 3 to 128 lower-case letters, digits, hyphens and dots,
    /// with at least one dot and something between any two.
    package var isReverseDNS: Bool {
        let labels = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (3...128).contains(utf8.count) && labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.allSatisfy { $0.isSmallLetterOrDigit || $0 == UInt8(ascii: "-") }
            }
    }
}

extension UInt8 {
    /// Whether it is `a` to `z` or `0` to `9`.
    package var isSmallLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }

    /// Whether it is a letter of ASCII or a digit.
    package var isLetterOrDigit: Bool {
        isSmallLetterOrDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}
