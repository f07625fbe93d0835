@_spi(Storage) internal import MessageStoreLog

/// A stretch of a timeline that is known to have no holes.
struct TimelineRange: Equatable {
    var newest: [UInt8]
    var oldest: [UInt8]
    var reachesBeginning: Bool
    var reachesEnd: Bool

    init(newest: [UInt8], oldest: [UInt8], reachesBeginning: Bool = false, reachesEnd: Bool = false) {
        self.newest = newest
        self.oldest = oldest
        self.reachesBeginning = reachesBeginning
        self.reachesEnd = reachesEnd
    }

    init?(newest: [UInt8], _ row: RawSpan) {
        guard let flags = row.load(at: 0, as: UInt8.self) else { return nil }
        let oldest = row.extracting(1..<row.byteCount)
        guard oldest.isEmpty || OrderBytes.isOrder(oldest) else { return nil }
        self.init(
            newest: newest, oldest: oldest.copied, reachesBeginning: flags & 1 != 0, reachesEnd: flags & 2 != 0)
    }

    var bytes: [UInt8] { [(reachesBeginning ? 1 : 0) | (reachesEnd ? 2 : 0)] + oldest }

    func contains(_ order: [UInt8]) -> Bool {
        !order.lexicographicallyPrecedes(oldest) && !newest.lexicographicallyPrecedes(order)
    }

    func touches(_ other: TimelineRange) -> Bool {
        !newest.lexicographicallyPrecedes(other.oldest) && !other.newest.lexicographicallyPrecedes(oldest)
    }

    mutating func merge(_ other: TimelineRange) {
        if newest.lexicographicallyPrecedes(other.newest) { newest = other.newest }
        if other.oldest.lexicographicallyPrecedes(oldest) { oldest = other.oldest }
        reachesBeginning = reachesBeginning || other.reachesBeginning
        reachesEnd = reachesEnd || other.reachesEnd
    }
}

/// The newest stretch of a timeline, open at its newer end: what arrives live goes on at it (d27).
struct TimelineHead: ViewRow, Equatable {
    var oldest: [UInt8]
    var reachesBeginning = false
    /// The session in which it was last known to go on without a hole.
    var session: UInt64

    init(oldest: [UInt8], reachesBeginning: Bool = false, session: UInt64) {
        self.oldest = oldest
        self.reachesBeginning = reachesBeginning
        self.session = session
    }

    init?(_ row: RawSpan) {
        guard let flags = row.load(at: 0, as: UInt8.self), let session = row.load(at: 1, as: UInt64.self) else {
            return nil
        }
        let oldest = row.extracting(9..<row.byteCount)
        guard oldest.isEmpty || OrderBytes.isOrder(oldest) else { return nil }
        self.init(oldest: oldest.copied, reachesBeginning: flags & 1 != 0, session: session)
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 9 + oldest.count)
        writer.append(UInt8(reachesBeginning ? 1 : 0))
        writer.append(session)
        writer.append(oldest)
        return writer.bytes.copied
    }

    /// The same stretch, with an end above every order.
    var range: TimelineRange {
        TimelineRange(newest: OrderBytes.aboveAll, oldest: oldest, reachesBeginning: reachesBeginning, reachesEnd: true)
    }
}

/// Where the connection stands: the position at which its session or sync began, 0 where the host never told, and whether
/// a sync has completed since or is going on.
struct TimelineSession {
    let number: UInt64
    let isSynced: Bool
    let isSyncing: Bool
}
