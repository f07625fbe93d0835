/// Draws the conversation of each event.
struct WorkloadConversations: Sendable {
    private let sampler: ZipfSampler
    private let stickiness: Double
    private var last: Int?

    init(_ parameters: WorkloadParameters) {
        sampler = ZipfSampler(count: parameters.conversations, exponent: parameters.conversationExponent)
        stickiness = parameters.conversationStickiness
    }

    /// Returns the conversation before or a new draw, which may give the same.
    mutating func next(using random: inout SplitMix64) -> Int {
        if random.chance(stickiness), let last { return last }
        let conversation = sampler.next(using: &random)
        last = conversation
        return conversation
    }
}
