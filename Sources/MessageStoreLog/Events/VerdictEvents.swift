/// What a host's filter says of a received message (A26–A30).
public enum FilterVerdict: Hashable, Sendable {
    /// Show it as it is, also where its visibility list leaves this account out.
    case keep
    /// Show nothing: it neither counts nor becomes the last message.
    case hide
    /// Show this content in its place; the original stays in the log.
    case replace(MessageContent)
}

extension FilterVerdict {
    /// The verdict's number in records: 0 keep, 1 hide, 2 replace.
    var code: UInt8 {
        switch self {
        case .keep: 0
        case .hide: 1
        case .replace: 2
        }
    }
}

/// A host's filter looked at a message; its last verdict holds, and is frozen here so that replay needs no filter (d13).
public struct MessageFiltered: Hashable, Sendable {
    /// Which message.
    public var message: MessageReference
    /// What to do with it.
    public var verdict: FilterVerdict
    /// The version of the filter that said so.
    public var filterVersion: UInt32

    /// Puts the event together.
    public init(_ message: MessageReference, verdict: FilterVerdict, filterVersion: UInt32 = 1) {
        self.message = message
        self.verdict = verdict
        self.filterVersion = filterVersion
    }
}

/// Why two messages with different server ids are taken for one (d12).
public enum DuplicateRule: UInt8, Hashable, Sendable, Codable {
    /// The same sender gave both the same token; the second was not recorded, its id names the first.
    case clientToken = 1
    /// The same sender, type and content within a short time; the second is recorded and hidden.
    case content = 2
}

/// A message turned out to repeat another: a resend after a lost answer (D19, D20).
///
/// The repeat is not shown and does not count; what is told of it later is told of the original as well. The verdict is
/// logged, and another event with `duplicateOf: nil` takes it back (d12).
public struct MessageDuplicateSuppressed: Hashable, Sendable {
    /// The server's id of the repeat.
    public var serverID: ServerMessageID
    /// The message that it repeats; nil takes the verdict back.
    public var duplicateOf: LocalMessageID?
    /// Why.
    public var rule: DuplicateRule

    /// Puts the event together.
    public init(serverID: ServerMessageID, duplicateOf: LocalMessageID?, rule: DuplicateRule) {
        self.serverID = serverID
        self.duplicateOf = duplicateOf
        self.rule = rule
    }
}

/// The server left messages out: what is known of the conversation's timeline has a hole (d27).
///
/// Everything received from now on, and `before` itself, stands behind the hole, until loaded history closes it.
public struct HistoryGapFound: Hashable, Sendable {
    /// The oldest message behind the hole; nil where none is known yet.
    public var before: MessageOrder?

    /// Puts the event together.
    public init(before: MessageOrder? = nil) {
        self.before = before
    }
}

/// The server's own count of unread messages, for clients that do not receive them all (B15, d7).
///
/// It stands for every message up to `upTo`; later ones are counted by the store. Reading up to there ends it.
public struct UnreadCountReported: Hashable, Sendable {
    /// Unread messages.
    public var count: UInt32
    /// Those that mention this account.
    public var mentions: UInt32
    /// The last message that the server counted.
    public var upTo: MessageOrder
    /// When, by the server's clock; the latest report holds.
    public var time: Timestamp

    /// Puts the event together.
    public init(_ count: UInt32, mentions: UInt32 = 0, upTo: MessageOrder, at time: Timestamp) {
        self.count = count
        self.mentions = mentions
        self.upTo = upTo
        self.time = time
    }
}
