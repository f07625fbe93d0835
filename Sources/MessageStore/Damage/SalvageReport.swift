/// What was read of a damaged log.
public struct SalvageReport: Sendable, Hashable {
    /// The account of the new store.
    public let account: UserID
    /// How many events were kept.
    public let kept: Int
    /// The positions whose events were lost, in order; `RecordLost` events stand there.
    public let lost: [ClosedRange<Position>]
    /// How many of the events that were kept stood on pages that the damaged log no longer leads to.
    public let repaired: Int
    /// The strings that were lost.
    public let replacedNames: [ReplacedName]

    /// How many events were lost between those that were kept. Events behind the last one that was kept are not known.
    public var lostCount: Int { lost.reduce(0) { $0 + $1.count } }

    /// A string that was lost, and what stands for it.
    public struct ReplacedName: Sendable, Hashable {
        /// What the string named: `conversation`, `user` or `contentType`.
        public let kind: String
        /// What stands for it in the new store.
        public let name: String
    }
}

extension ClosedRange<Position> {
    /// How many positions it holds.
    fileprivate var count: Int { Int(clamping: upperBound.rawValue - lowerBound.rawValue) + 1 }
}

extension SalvageReport {
    init(_ log: SalvagedLog, account: UserID) {
        self.init(
            account: account, kept: log.kept, lost: log.lost, repaired: log.repaired,
            replacedNames: log.replacedNames.map { ReplacedName(kind: "\($0.space)", name: $0.name) })
    }
}
