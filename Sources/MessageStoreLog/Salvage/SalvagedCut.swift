/// What a damaged log knows of records that were cut off.
struct SalvagedCut: Sendable {
    /// Where they were.
    private(set) var positions = PositionSet()
    /// What they are recognised by.
    private(set) var identities: [IdentityKey] = []
    /// The last event that caused a gap.
    private var cause = Position.origin

    /// Takes an entry of a leaf page, if its table is about records that were cut off.
    mutating func note(_ key: RawSpan, _ value: RawSpan) -> Bool {
        if let gap = try? LogGap(key, value) {
            cause = max(cause, gap.cause)
            for position in gap.positions.lowerBound.rawValue...gap.positions.upperBound.rawValue {
                positions.insert(Position(position))
            }
            return true
        }
        let count = identities.count
        try? CutIdentities.forEach(of: key, value) { identities.append($0) }
        return identities.count > count
    }

    /// Forgets the gaps where the log has lost the event that caused the last one: they would be beyond its end.
    mutating func limit(to last: Position) {
        if cause > last { positions = PositionSet() }
    }

    func write(to tables: LogTables) throws {
        guard !identities.isEmpty || positions.count > 0 else { return }
        try tables.writeCut(
            positions.ranges.map { LogGap($0, cause: cause) }, identities.sorted().withoutRepeats)
    }
}
