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
