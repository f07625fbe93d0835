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
