/// The statistics of a synthetic workload.
///
/// `.fitted` has the values measured on real logs, as `Docs/Workload.md` describes. Values out of range are clamped:
/// counts are at least 1, shares within `0 ... 1`.
public struct WorkloadParameters: Sendable, Equatable {
    /// How the server makes up its ids.
    public enum ServerIDs: Sendable, Equatable {
        /// 24 hexadecimal digits that rise with time, as in `gitter-fcc`.
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
    /// The share of texts that end with an emoji, among texts of `emojiMinimumBytes` or more.
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

extension WorkloadParameters {
    /// The parameters with every value clamped to its range, so that the generator need not check again.
    var clamped: WorkloadParameters {
        var result = self
        result.conversations = min(max(conversations, 1), ZipfSampler.maximumCount)
        result.users = min(max(users, 1), 1 << 30)
        result.largestGroup = min(max(largestGroup, 1), ZipfSampler.maximumCount)
        result.groupSizeExponent = groupSizeExponent > 0 ? min(groupSizeExponent, 8) : 0
        result.duplicateRunLength = min(max(duplicateRunLength, 1), 1 << 16)
        result.outOfOrderMaximumMs = min(max(outOfOrderMaximumMs, 0), 1 << 40)
        result.startTimeMs = min(max(startTimeMs, 0), 1 << 50)
        result.duplicateShare = min(Self.share(duplicateShare), 0.9)
        for path in Self.shares {
            result[keyPath: path] = Self.share(result[keyPath: path])
        }
        return result
    }

    /// Every other share and probability.
    private static var shares: [WritableKeyPath<WorkloadParameters, Double>] {
        [
            \.singleShare, \.conversationStickiness, \.senderStickiness, \.answerShare, \.ownMessageShare,
            \.memberEventShare, \.cjkShare, \.mentionShare, \.emojiShare, \.outOfOrderShare,
        ]
    }

    /// Clamps a number to `0 ... 1`; NaN becomes 0.
    private static func share(_ value: Double) -> Double {
        value > 0 ? min(value, 1) : 0
    }
}

extension WorkloadParameters {
    /// An offline backlog with the statistics of the real logs.
    ///
    /// From `gitter-fcc`, the only one with a chat service's ids and times in milliseconds: everything about
    /// conversations, senders, times, mentions, repeated deliveries and Latin lengths. From the pool of all five logs:
    /// the share and the lengths of Chinese, Japanese and Korean texts. From the leaves in `fluid-irc`, each taken to
    /// have its join: the share of member events. Public logs of rooms do not show the number of conversations, the
    /// share of single ones, the account's own share (here the mean share of a room's most active sender), the length
    /// of repeated runs, the emoji of today and the start time: those are assumptions.
    public static let fitted = WorkloadParameters(
        seed: 1,
        conversations: 1_000,
        users: 7_500,
        singleShare: 0.5,
        conversationExponent: 1.15,
        conversationStickiness: 0.71,
        largestGroup: 727,
        groupSizeExponent: 0.62,
        senderExponent: 1.17,
        senderStickiness: 0.33,
        answerShare: 0.46,
        ownMessageShare: 0.2,
        memberEventShare: 0.01,
        cjkShare: 0.081,
        latinBytes: fittedLatinBytes,
        cjkBytes: fittedCJKBytes,
        mentionShare: 0.316,
        emojiShare: 0.02,
        duplicateShare: 0.0045,
        duplicateRunLength: 10,
        outOfOrderShare: 0.0113,
        outOfOrderMaximumMs: 1_700,
        gapMs: fittedGapMs,
        startTimeMs: 1_700_000_000_000,
        serverIDs: .timeOrdered
    )

    /// A hostile workload: many conversations in quick alternation, ids in no order, long repeated runs.
    ///
    /// Its numbers are chosen, not measured.
    public static let stress: WorkloadParameters = {
        var parameters = fitted
        parameters.conversations = 20_000
        parameters.users = 50_000
        parameters.singleShare = 0.7
        parameters.conversationExponent = 0.8
        parameters.conversationStickiness = 0.1
        parameters.memberEventShare = 0.05
        parameters.cjkShare = 0.5
        parameters.emojiShare = 0.2
        parameters.duplicateShare = 0.1
        parameters.duplicateRunLength = 200
        parameters.outOfOrderShare = 0.2
        parameters.outOfOrderMaximumMs = 600_000
        parameters.gapMs = QuantileTable([.init(0, 0), .init(500_000, 0), .init(900_000, 5), .init(1_000_000, 1_000)])
        parameters.serverIDs = .random
        return parameters
    }()

    /// Lengths of the 209,656 texts of `gitter-fcc` that are neither empty nor hold Chinese, Japanese or Korean.
    private static let fittedLatinBytes = QuantileTable([
        .init(0, 1), .init(10_000, 2), .init(50_000, 4), .init(100_000, 9), .init(200_000, 18), .init(300_000, 27),
        .init(400_000, 36), .init(500_000, 47), .init(600_000, 62), .init(700_000, 80), .init(800_000, 107),
        .init(900_000, 162), .init(950_000, 242), .init(980_000, 395), .init(990_000, 606), .init(995_000, 893),
        .init(999_000, 2_219), .init(999_900, 4_094), .init(1_000_000, 5_248),
    ])

    /// Lengths of the 92,502 texts of all five logs that hold Chinese, Japanese or Korean.
    private static let fittedCJKBytes = QuantileTable([
        .init(0, 3), .init(10_000, 6), .init(50_000, 12), .init(100_000, 16), .init(200_000, 22), .init(300_000, 28),
        .init(400_000, 35), .init(500_000, 42), .init(600_000, 50), .init(700_000, 61), .init(800_000, 78),
        .init(900_000, 102), .init(950_000, 126), .init(980_000, 160), .init(990_000, 193), .init(995_000, 241),
        .init(999_000, 380), .init(999_900, 449), .init(1_000_000, 2_067),
    ])

    /// Times between one message of `gitter-fcc` and the next of any room, without the longest ten-thousandth, which
    /// are gaps in the log.
    private static let fittedGapMs = QuantileTable([
        .init(0, 0), .init(10_000, 108), .init(50_000, 1_153), .init(100_000, 2_924), .init(200_000, 6_784),
        .init(300_000, 11_228), .init(400_000, 17_088), .init(500_000, 25_592), .init(600_000, 39_679),
        .init(700_000, 68_641), .init(750_000, 97_337), .init(800_000, 150_774), .init(900_000, 511_261),
        .init(950_000, 1_204_748), .init(980_000, 2_627_343), .init(990_000, 4_134_941), .init(995_000, 6_153_572),
        .init(999_000, 15_995_420), .init(1_000_000, 67_725_615),
    ])
}
