/// How far a message of this account has come; messages of others are always `received`.
///
/// The order is a lattice: sending and failed lie below sent, sent below delivered, delivered below read, and
/// nothing moves down (d18).
public enum MessageStatus: UInt8, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// A message of somebody else, or of this account on another device.
    case received = 0
    /// Queued; the server has not answered yet.
    case sending = 1
    /// The transport gave up; it can be retried, and a late acknowledgement still wins.
    case failed = 2
    /// The server accepted it.
    case sent = 3
    /// A member's device has it.
    case delivered = 4
    /// A member read it.
    case read = 5

    /// Whether `first` comes before `second`.
    public static func < (first: MessageStatus, second: MessageStatus) -> Bool { first.rawValue < second.rawValue }

    /// The value as it is shown to people.
    public var description: String {
        switch self {
        case .received: "received"
        case .sending: "sending"
        case .failed: "failed"
        case .sent: "sent"
        case .delivered: "delivered"
        case .read: "read"
        }
    }
}
