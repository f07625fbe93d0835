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
