internal import MessageStoreLMDB

extension MessageStore {
    /// Told now and then how far a replay has come.
    public typealias ReplayProgress = (_ reached: Position, _ last: Position) -> Void

    /// The digest of each projection now. Equal logs give equal digests on every machine.
    ///
    /// Costs a pass over the buffered rows; what is on disk has its digest at hand.
    ///
    /// - Throws: `StoreError`.
    public func digests() throws -> [Projection: UInt64] {
        Self.named(try read { try ViewStore.digests(of: $0) })
    }

    /// Runs `body` with the views as they were at a position of the past.
    ///
    /// The log is replayed up to there into a build of its own; the served views are left alone. Costs a fold
    /// of that part of the log.
    ///
    /// - Parameters:
    ///   - position: 0 to the log's last.
    ///   - progress: Told now and then how far the replay has come.
    ///   - body: Lent the views of that position.
    /// - Throws: `StoreError`: `invalidArgument` beyond the log's end, `recordDamaged` at a damaged record; or what
    ///   `body` throws.
    public func replay<Result>(
        to position: Position, progress: ReplayProgress = { _, _ in }, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        let resources = try opened()
        return try StoreError.translating {
            let last = try lastPosition()
            guard position <= last else {
                throw StoreError(.invalidArgument, "the log ends at \(last)", position: position)
            }
            return try resources.views.replay(to: position, progress: progress, body)
        }
    }

    /// The digest of each projection at a position of the past; see ``replay(to:progress:_:)``.
    public func digests(
        at position: Position, progress: ReplayProgress = { _, _ in }
    ) throws -> [Projection: UInt64] {
        Self.named(try replay(to: position, progress: progress) { try ViewStore.digests(of: $0) })
    }

    /// Replays the whole log beside the served views and compares both row by row.
    ///
    /// Appends and reads go on meanwhile. Should a map have to grow while rows are compared, it waits for the end of the
    /// comparison, and so does what comes after it.
    ///
    /// - Parameters:
    ///   - limit: Differences reported at the most; all are counted.
    ///   - progress: Told now and then how far the replay has come.
    /// - Throws: `StoreError`: `recordDamaged` with the position of the first damaged record.
    public func verify(limit: Int = 100, progress: ReplayProgress = { _, _ in }) throws -> VerificationReport {
        let resources = try opened()
        return try StoreError.translating {
            let result = try resources.views.verify(limit: limit, progress: progress)
            return VerificationReport(
                position: result.position, digests: Self.named(result.digests),
                rebuiltDigests: Self.named(result.rebuiltDigests),
                differences: result.differences.map { RowDifference($0, resources.log.symbols) },
                differenceCount: result.differenceCount)
        }
    }

    /// Replaces views by what a replay of the log gives; the old ones are served until the new ones are complete.
    ///
    /// This is the remedy for the error `viewsDamaged`: the views are made from the log alone, so nothing is lost.
    ///
    /// - Parameters:
    ///   - projections: Which to replace; nil for all.
    ///   - progress: Told now and then how far the replay has come.
    /// - Throws: `StoreError`; then the old views stay.
    public func rebuild(_ projections: Set<Projection>? = nil, progress: ReplayProgress = { _, _ in }) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            try resources.views.rebuild(
                projections.map { Set($0.compactMap(\.name)) }, progress: progress,
                exclusively: { work in try writer.withLock { _ throws in try work() } })
        }
    }

    private static func named(_ digests: [ProjectionName: UInt64]) -> [Projection: UInt64] {
        Dictionary(uniqueKeysWithValues: digests.map { (Projection($0.key), $0.value) })
    }
}

extension RowDifference {
    init(_ difference: ViewDifference, _ symbols: SymbolTable) {
        let words = difference.words(symbols)
        self.init(
            projection: Projection(difference.projection), table: difference.table.name,
            key: difference.key.span.bytes.hexadecimal, live: difference.live.map { $0.span.bytes.hexadecimal },
            rebuilt: difference.rebuilt.map { $0.span.bytes.hexadecimal },
            keyParts: words.key?.map { KeyPart(name: $0.name, value: $0.value) },
            parts: words.parts?.map { Part(name: $0.name, live: $0.live, rebuilt: $0.rebuilt) })
    }
}
