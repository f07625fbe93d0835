/// The result of salvaging a damaged log.
public struct SalvageReport: Sendable, Hashable {
    /// The account of the new store.
    public let account: UserID
    /// How many events were kept.
    public internal(set) var kept = 0
    /// The positions whose events were lost, in order; each holds a `RecordLost` event.
    public internal(set) var lost: [ClosedRange<Position>] = []
    /// How many events after the last kept one are lost, as of a data file whose end was cut off.
    ///
    /// The damaged file's count of its records says so; nil if it cannot be read. Events that the journal alone held are not among them.
    public internal(set) var lostAtEnd: Int?
    /// The positions of lost events whose sealed records have a checksum that fits and a seal that does not: somebody changed
    /// them, or a loss of power left an old page. Some may be after the last kept one.
    public internal(set) var forged: [Position] = []
    /// How many of the events that were kept were on pages that the damaged log no longer leads to.
    public internal(set) var repaired = 0
    /// The strings that were lost.
    public internal(set) var replacedNames: [ReplacedName] = []

    /// How many events were lost between kept ones.
    public var lostCount: Int {
        lost.reduce(0) { $0 + Int(clamping: $1.upperBound.rawValue - $1.lowerBound.rawValue) + 1 }
    }

    /// A lost string, and the name that replaces it.
    public struct ReplacedName: Sendable, Hashable {
        /// The kind of symbol that the string named: `conversation`, `user` or `contentType`.
        public let kind: String
        /// The name that replaces it in the new store.
        public let name: String
    }
}
