/// How far a message of this account was sent and read; messages of others are always `received`.
///
/// The values are ordered: sending and failed come before sent, sent before delivered, delivered before read. Events
/// never move a status back, except for a ``MessageStatusOverridden``.
public struct MessageStatus: NamedCode, BuiltInCode, Comparable {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A message of somebody else, or of this account on another device.
    public static let received = MessageStatus(rawValue: 0)
    /// Queued; the server has not answered yet.
    public static let sending = MessageStatus(rawValue: 1)
    /// Sending failed; it can be retried, and a late acknowledgement still wins.
    public static let failed = MessageStatus(rawValue: 2)
    /// The server accepted it.
    public static let sent = MessageStatus(rawValue: 3)
    /// A member's device has it.
    public static let delivered = MessageStatus(rawValue: 4)
    /// A member read it.
    public static let read = MessageStatus(rawValue: 5)

    /// Whether `first` comes before `second`.
    public static func < (first: MessageStatus, second: MessageStatus) -> Bool { first.rawValue < second.rawValue }

    package static let known: [MessageStatus: String] = [
        .received: "received", .sending: "sending", .failed: "failed", .sent: "sent", .delivered: "delivered",
        .read: "read",
    ]
}

/// The flags that a user set on a received message; flags are only ever added, never cleared, on any device.
public struct MessageFlags: OptionSet, FieldValue {
    /// The bits as stored in the log.
    public let rawValue: UInt8

    /// Wraps bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Read, here or on another device: it no longer counts as unread.
    public static let read = MessageFlags(rawValue: 1)
    /// Listened to; only audio and hosts' own types of content can be.
    public static let listened = MessageFlags(rawValue: 2)
    /// Downloaded; only audio, images, videos, files and hosts' own types of content can be.
    public static let downloaded = MessageFlags(rawValue: 4)
    /// Received by another device of this account before.
    public static let retrieved = MessageFlags(rawValue: 8)
}

extension MessageFlags {
    /// No flag.
    public static var _placeholder: MessageFlags { [] }
    /// The names of the bits, lowest first.
    package static let bitNames = ["read", "listened", "downloaded", "retrieved"]
}

extension ContentType {
    /// The flags that a message of this type can have; flags of a host's own types are not known here, so all.
    package var possibleFlags: MessageFlags {
        switch self {
        case .audio: [.read, .listened, .downloaded, .retrieved]
        case .image, .video, .file: [.read, .downloaded, .retrieved]
        case .text, .action, .notice, .location, .tip: [.read, .retrieved]
        default: [.read, .listened, .downloaded, .retrieved]
        }
    }
}
