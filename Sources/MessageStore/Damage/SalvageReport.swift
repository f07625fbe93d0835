/// The result of salvaging a damaged log.
public struct SalvageReport: Sendable, Hashable {
    /// The account of the new store.
    public let account: UserID
    /// How many events were kept.
    public let kept: Int
    /// The positions whose events were lost, in order; each holds a `RecordLost` event.
    public let lost: [ClosedRange<Position>]
    /// How many of the events that were kept were on pages that the damaged log no longer leads to.
    public let repaired: Int
    /// The strings that were lost.
    public let replacedNames: [ReplacedName]

    /// How many events were lost between those that were kept. The number of events after the last kept one is unknown.
    public var lostCount: Int { lost.reduce(0) { $0 + $1.count } }

    /// A lost string, and the name that replaces it.
    public struct ReplacedName: Sendable, Hashable {
        /// What the string named: `conversation`, `user` or `contentType`.
        public let kind: String
        /// The name that replaces it in the new store.
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
