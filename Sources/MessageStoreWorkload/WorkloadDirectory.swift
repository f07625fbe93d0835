/// Who takes part in a synthetic workload: conversations, users and which user is a member of what.
///
/// Everything is computed from ordinals, nothing is stored for a user. Ids and names do not depend on the seed.
public struct WorkloadDirectory: Sendable {
    /// The user whose account's store is filled.
    public static let account = 0

    /// How many conversations there are.
    public let conversations: Int
    /// How many users there are, with the account.
    public let users: Int

    private let singleShare: Double
    private let largestGroup: Int
    private let groupSizeExponent: Double
    /// A step without a common factor with the number of users but the account, so that ranks give different users.
    private let memberStep: Int

    /// Creates the directory that belongs to a workload with these parameters.
    public init(_ parameters: WorkloadParameters) {
        let parameters = parameters.clamped
        conversations = parameters.conversations
        users = parameters.users
        singleShare = parameters.singleShare
        largestGroup = parameters.largestGroup
        groupSizeExponent = parameters.groupSizeExponent
        memberStep = Self.coprimeStep(parameters.users - 1)
    }

    /// Returns whether a conversation is between two people; the single ones lie evenly among the ordinals.
    public func kind(ofConversation index: Int) -> WorkloadConversationKind {
        let spread = (UInt64(truncatingIfNeeded: index) &+ 1) &* SplitMix64.increment
        return Double(spread >> 11) * 0x1p-53 < singleShare ? .single : .group
    }

    /// Returns how many members a conversation has besides the account, as a power of two; 0 if nobody else exists.
    public func memberCount(ofConversation index: Int) -> Int {
        guard users > 1 else { return 0 }
        guard kind(ofConversation: index) == .group else { return 1 }
        let shrink = PortablePower.power(Double(max(index, 0)) + 1, -groupSizeExponent)
        let wanted = max(2, Int(Double(largestGroup) * shrink))
        let count = min(wanted, users - 1)
        return 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
    }

    /// Returns the user who is the member on a rank, 0 being the most active, of a conversation besides the account.
    ///
    /// Different ranks below `memberCount(ofConversation:)` give different users.
    public func member(rank: Int, ofConversation index: Int) -> Int {
        guard users > 1 else { return Self.account }
        let start = SplitMix64.mix(UInt64(truncatingIfNeeded: index) &+ 1) % UInt64(users - 1)
        let offset = UInt64(truncatingIfNeeded: rank) &* UInt64(memberStep)
        return 1 + Int((start &+ offset) % UInt64(users - 1))
    }

    /// Returns the largest number up to 0.618 of `count` that has no common factor with it.
    private static func coprimeStep(_ count: Int) -> Int {
        var step = max(1, Int(Double(count) * 0.618))
        while step > 1, greatestCommonDivisor(step, count) > 1 {
            step -= 1
        }
        return step
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (larger, smaller) = (first, second)
        while smaller != 0 {
            (larger, smaller) = (smaller, larger % smaller)
        }
        return larger
    }
}
