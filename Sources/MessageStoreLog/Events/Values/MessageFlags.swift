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
    /// The flags that a message of this type can have; those of a host's own types are not known here, so all.
    package var possibleFlags: MessageFlags {
        switch self {
        case .audio: [.read, .listened, .downloaded, .retrieved]
        case .image, .video, .file: [.read, .downloaded, .retrieved]
        case .text, .action, .notice, .location, .tip: [.read, .retrieved]
        default: [.read, .listened, .downloaded, .retrieved]
        }
    }
}
