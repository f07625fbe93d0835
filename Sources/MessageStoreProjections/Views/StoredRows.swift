internal import MessageStoreLMDB

/// What every read asks of one commit of the views' environment; looked up once for all of them.
struct StoredRows: Sendable {
    /// The commit; nil where there is no environment.
    let commitNumber: UInt64?
    /// Whether it holds facts that came before their message.
    private(set) var hasParked = false
    /// Whether it holds stretches of timelines that end in a gap.
    private(set) var hasGaps = false
    /// Whether it holds timers.
    private(set) var hasTimers = false
    /// Whether it holds chat rooms that were left.
    private(set) var hasLeftRooms = false
    /// The identities that it holds outside their table; nil if it holds none there.
    private(set) var identities: StoredIdentities?

    /// - Throws: ``StoreError`` with code `viewsDamaged` where the environment has no checkpoint that can be read.
    init(in base: borrowing ReadTransaction?, of environment: ViewEnvironment?) throws {
        switch base {
        case .none:
            commitNumber = nil
            guard environment == nil else { throw StoreError.unusableCheckpoint(path: nil) }
        case .some(let base):
            commitNumber = base.commitNumber
            guard let environment else { return }
            let (key, tables) = (Checkpoint.key, environment.tables)
            guard let row = try base.value(for: key.span.bytes, in: environment.meta),
                Checkpoint.position(row) != nil
            else { throw StoreError.unusableCheckpoint(path: nil) }
            let identities = try StoredIdentities(in: base, environment.identityRuns)
            if !identities.unmoved.isEmpty { self.identities = identities }
            hasParked = try base.statistics(of: tables[Messages.parked.place.index]).entries > 0
            hasTimers = try base.statistics(of: tables[Timers.timers.place.index]).entries > 0
            hasLeftRooms = try base.statistics(of: tables[Timeline.returns.place.index]).entries > 0
            hasGaps = try base.statistics(of: tables[Timeline.ranges.place.index]).entries > 0
        }
    }

    /// Whether a read sees what another one saw of the same environment.
    func isStill(in base: borrowing ReadTransaction?) -> Bool {
        switch base {
        case .none: commitNumber == nil
        case .some(let base): commitNumber == base.commitNumber
        }
    }
}
