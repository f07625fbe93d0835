/// The statistics of a synthetic workload.
///
/// `.fitted` has the values measured on real logs, as `Docs/Workload.md` describes. Values out of range are clamped:
/// counts are at least 1, shares within `0 ... 1`.
public struct WorkloadParameters: Sendable, Equatable {
    /// How the server makes up its ids.
    public enum ServerIDs: Sendable, Equatable {
        /// 24 hexadecimal digits that rise with time, as those of `gitter-fcc`.
        case timeOrdered
        /// 36 characters of a random UUID, version 4, in no order.
        case random
    }

    /// The seed of all draws; equal parameters with equal seeds give equal events.
    public var seed: UInt64
    /// How many conversations there are.
    public var conversations: Int
    /// How many users there are, with the account.
    public var users: Int
    /// The share of conversations between two people, spread evenly over busy and quiet ones.
    public var singleShare: Double
    /// The Zipf exponent of messages over conversations.
    public var conversationExponent: Double
    /// The probability that an event stays in the conversation of the one before without a new draw.
    public var conversationStickiness: Double
    /// How many members the busiest group has. The others get fewer, down to 2, each count cut to a power of two.
    public var largestGroup: Int
    /// How fast groups shrink: the group on rank k has `largestGroup / k^groupSizeExponent` members.
    public var groupSizeExponent: Double
    /// The Zipf exponent of messages over the members of a group.
    public var senderExponent: Double
    /// The probability that the last sender of a conversation goes on without a new draw.
    public var senderStickiness: Double
    /// The probability, if the last sender does not go on, that the one before answers without a new draw.
    public var answerShare: Double
    /// The share of new draws of a sender that give the account itself, by another of its devices.
    public var ownMessageShare: Double
    /// The share of events in groups in which a member leaves or one who left joins again.
    public var memberEventShare: Double
    /// The share of texts that are Chinese; the others are Latin.
    public var cjkShare: Double
    /// The lengths of Latin texts in UTF-8 bytes.
    public var latinBytes: QuantileTable
    /// The lengths of Chinese texts in UTF-8 bytes.
    public var cjkBytes: QuantileTable
    /// The share of texts that begin with `@` and a user's name, among those in groups that have
    /// `mentionMinimumBytes` or more.
    public var mentionShare: Double
    /// The share of texts that end with an emoji, among those of `emojiMinimumBytes` or more.
    public var emojiShare: Double
    /// The share of deliveries that repeat an event delivered before, at most 0.9.
    public var duplicateShare: Double
    /// How many events are repeated in a row, as by pages that overlap; at most 65,536.
    public var duplicateRunLength: Int
    /// The share of events whose time is before that of the event delivered before them.
    public var outOfOrderShare: Double
    /// The most by which such a time is before it, in milliseconds; half of them are within an eighth of that.
    public var outOfOrderMaximumMs: Int
    /// How long after the last event the next happens, in milliseconds.
    public var gapMs: QuantileTable
    /// The time at which the first gap starts, in milliseconds since 1970.
    public var startTimeMs: Int64
    /// How the server makes up its ids.
    public var serverIDs: ServerIDs

    /// Texts shorter than this mention nobody: the longest name with its `@` and a space would not fit.
    public static let mentionMinimumBytes = 16
    /// Texts shorter than this have no emoji.
    public static let emojiMinimumBytes = 9

    /// The mean time between events, in milliseconds.
    public var meanGapMs: Double { gapMs.mean }
}
