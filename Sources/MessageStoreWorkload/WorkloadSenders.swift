/// Draws the sender of each event and keeps for each conversation who spoke last and who is away.
struct WorkloadSenders: Sendable {
    /// The state of a conversation between two of its events.
    private struct Conversation: Sendable {
        var isGroup: Bool
        /// The logarithm to base 2 of the number of members besides the account.
        var sizeClass: Int
        var last: Int?
        var beforeLast: Int?
        /// The one member who left, until joining again.
        var away: Int?
    }

    let directory: WorkloadDirectory
    private let parameters: WorkloadParameters
    private var conversations: [Conversation]
    /// One table for each power of two of members.
    private let samplers: [ZipfSampler]

    init(_ parameters: WorkloadParameters, _ directory: WorkloadDirectory) {
        self.parameters = parameters
        self.directory = directory
        conversations = (0..<directory.conversations).map { index in
            let members = max(directory.memberCount(ofConversation: index), 1)
            let isGroup = directory.kind(ofConversation: index) == .group
            return Conversation(isGroup: isGroup, sizeClass: members.trailingZeroBitCount)
        }
        let classes = (conversations.map(\.sizeClass).max() ?? 0) + 1
        samplers = (0..<classes).map { ZipfSampler(count: 1 << $0, exponent: parameters.senderExponent) }
    }

    /// Returns a conversation's next event and its sender.
    ///
    /// A member who left and would speak joins again instead.
    mutating func next(conversation: Int, using random: inout SplitMix64) -> (WorkloadEvent.Kind, Int) {
        if conversations[conversation].isGroup, random.chance(parameters.memberEventShare),
            let change = memberEvent(conversation: conversation, using: &random)
        {
            return change
        }
        let sender = nextSender(conversation: conversation, using: &random)
        if conversations[conversation].away == sender {
            conversations[conversation].away = nil
            return (.memberJoined, sender)
        }
        if conversations[conversation].last != sender {
            conversations[conversation].beforeLast = conversations[conversation].last
            conversations[conversation].last = sender
        }
        return (.text, sender)
    }

    /// Returns a member of a conversation besides the account, the active ones more often.
    func drawMember(of conversation: Int, using random: inout SplitMix64) -> Int {
        let rank = samplers[conversations[conversation].sizeClass].next(using: &random)
        return directory.member(rank: rank, ofConversation: conversation)
    }

    private func nextSender(conversation: Int, using random: inout SplitMix64) -> Int {
        let state = conversations[conversation]
        if random.chance(parameters.senderStickiness), let last = state.last { return last }
        if random.chance(parameters.answerShare), let beforeLast = state.beforeLast { return beforeLast }
        if random.chance(parameters.ownMessageShare) { return WorkloadDirectory.account }
        return drawMember(of: conversation, using: &random)
    }

    /// The one who is away joins again; if nobody is, a member leaves, each with the same probability.
    private mutating func memberEvent(
        conversation: Int, using random: inout SplitMix64
    ) -> (WorkloadEvent.Kind, Int)? {
        if let away = conversations[conversation].away {
            conversations[conversation].away = nil
            return (.memberJoined, away)
        }
        guard directory.users > 1 else { return nil }
        let rank = random.nextIndex(1 << conversations[conversation].sizeClass)
        let leaver = directory.member(rank: rank, ofConversation: conversation)
        conversations[conversation].away = leaver
        return (.memberLeft, leaver)
    }
}
