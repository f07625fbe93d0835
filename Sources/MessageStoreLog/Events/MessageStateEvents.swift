/// The host corrected the status of one of its own messages, against the lattice if it must (E32, d18).
public struct MessageStatusOverridden: Hashable, Sendable {
    /// Which message; those of others have no status and are left alone.
    public var message: MessageReference
    /// The status from now on; later answers and receipts still raise it.
    public var status: MessageStatus

    /// Puts the event together.
    public init(_ message: MessageReference, status: MessageStatus) {
        self.message = message
        self.status = status
    }
}

/// A line that only this device shows, such as "sent" or "the other side is offline": never sent, never counted (A23).
public struct MessageInsertedLocally: Hashable, Sendable {
    /// What it says.
    public var content: MessageContent
    /// Who is shown as its sender; nil for this account.
    public var sender: UserID?
    /// Its place in the timeline: after every message of this server time.
    public var time: Timestamp
    /// Whether it may be the last message of its conversation; it never counts as unread.
    public var updatesLastMessage: Bool

    /// Puts the event together.
    public init(content: MessageContent, sender: UserID? = nil, time: Timestamp, updatesLastMessage: Bool = true) {
        self.content = content
        self.sender = sender
        self.time = time
        self.updatesLastMessage = updatesLastMessage
    }
}

/// What a user did with a received message; the bits only ever get more, on whichever device (D10–D14).
public struct MessageFlags: OptionSet, Hashable, Sendable {
    /// The bits that stand in the log.
    public let rawValue: UInt8

    /// Wraps bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Read, here or on another device: it no longer counts as unread.
    public static let read = MessageFlags(rawValue: 1)
    /// Listened to. Only sounds and hosts' own types can be.
    public static let listened = MessageFlags(rawValue: 2)
    /// Downloaded. Only media, files and hosts' own types can be.
    public static let downloaded = MessageFlags(rawValue: 4)
    /// Received by another device of this account before.
    public static let retrieved = MessageFlags(rawValue: 8)
}

/// Received messages were read, listened to, downloaded or retrieved, here or on another device (D10–D13).
public struct MessageStatusFlagsSet: Hashable, Sendable {
    /// Which messages.
    public var messages: [MessageReference]
    /// The bits to set; bits that do not fit a message's type are passed over.
    public var flags: MessageFlags

    /// Puts the event together.
    public init(_ messages: [MessageReference], flags: MessageFlags) {
        self.messages = messages
        self.flags = flags
    }
}

/// How far the transfer of a message's file has come.
public enum AttachmentState: UInt8, Hashable, Sendable, Codable {
    /// Only this device has it.
    case local = 0
    /// Being sent to the server.
    case uploading = 1
    /// The server has it.
    case uploaded = 2
    /// Being fetched.
    case downloading = 3
    /// This device and the server have it.
    case available = 4
    /// The last transfer failed.
    case failed = 5
}

/// A message's file moved between this device and the server (B33). The last word in the log is shown.
public struct AttachmentStateChanged: Hashable, Sendable {
    /// Which message.
    public var message: MessageReference
    /// How far the transfer has come.
    public var state: AttachmentState
    /// Where the file is on this device, if it is.
    public var localPath: String?
    /// Where the file is on the server, if it is.
    public var remoteURL: String?

    /// Puts the event together.
    public init(
        _ message: MessageReference, state: AttachmentState, localPath: String? = nil, remoteURL: String? = nil
    ) {
        self.message = message
        self.state = state
        self.localPath = localPath
        self.remoteURL = remoteURL
    }
}

/// The sender of messages asked this account to tell when it has read them.
public struct ReadReceiptRequested: Hashable, Sendable {
    /// Which messages.
    public var messages: [MessageReference]

    /// Puts the event together.
    public init(_ messages: [MessageReference]) {
        self.messages = messages
    }
}

/// This account told the senders of messages that it has read them.
public struct ReadReceiptSent: Hashable, Sendable {
    /// Which messages.
    public var messages: [MessageReference]

    /// Puts the event together.
    public init(_ messages: [MessageReference]) {
        self.messages = messages
    }
}

/// Key-value pairs beside a message changed; for each key the latest change by `time` is shown.
public struct MessageExpansionChanged: Hashable, Sendable {
    /// Which message; a local id that no server knows at this position is passed over.
    public var message: MessageReference
    /// The pairs to set.
    public var values: [String: String]
    /// The keys to remove.
    public var removed: [String]
    /// When, by the server's clock.
    public var time: Timestamp

    /// Puts the event together.
    public init(_ message: MessageReference, set values: [String: String] = [:], remove: [String] = [], at: Timestamp) {
        self.message = message
        self.values = values
        removed = remove
        time = at
    }
}

/// A user reacted to a message; for each user and key the latest change by `time` is shown.
public struct ReactionAdded: Hashable, Sendable {
    /// Which message; a local id that no server knows at this position is passed over.
    public var message: MessageReference
    /// The reaction, such as an emoji; 1 to 128 UTF-8 bytes.
    public var key: String
    /// Who reacted.
    public var user: UserID
    /// When, by the server's clock.
    public var time: Timestamp

    /// Puts the event together.
    public init(_ message: MessageReference, key: String, by user: UserID, at time: Timestamp) {
        self.message = message
        self.key = key
        self.user = user
        self.time = time
    }
}

/// A user took a reaction back.
public struct ReactionRemoved: Hashable, Sendable {
    /// Which message.
    public var message: MessageReference
    /// The reaction, such as an emoji; 1 to 128 UTF-8 bytes.
    public var key: String
    /// Who had reacted.
    public var user: UserID
    /// When, by the server's clock.
    public var time: Timestamp

    /// Puts the event together.
    public init(_ message: MessageReference, key: String, by user: UserID, at time: Timestamp) {
        self.message = message
        self.key = key
        self.user = user
        self.time = time
    }
}
