internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// The environment's identities: most of them in their own table, the others in runs.
///
/// Keys are hashes, so that one flush's keys lie on nearly every page of a large table. They are first written side by
/// side, as a sorted run; a hand goes round the keys, and where it passes, the identities of all runs are moved to the
/// table: many to a page (after O'Neil et al. 1996, "The Log-Structured Merge-Tree", whose merges go over a part of the
/// keys at a time as well). Each key is in one place, so that rows can be counted in any order.
struct StoredIdentities: Sendable {
    /// A place of the hand: how often it went round, and the least first half of a key that it has not passed since.
    struct Place: Comparable, Sendable {
        var round: UInt64 = 0
        var key: UInt64 = 0

        static func < (first: Place, second: Place) -> Bool {
            (first.round, first.key) < (second.round, second.key)
        }

        /// The place after a part of a round.
        func advanced(by part: UInt64) -> Place {
            let (key, isOver) = key.addingReportingOverflow(part)
            return Place(round: isOver ? round + 1 : round, key: key)
        }
    }

    /// The identities of one flush.
    struct Run: Sendable {
        /// The position that the flush reached; runs lie in the order of their numbers.
        let number: UInt64
        /// The hand's place at the flush.
        let start: Place
    }

    /// The most runs that are left where the table has some pages: with each flush the hand goes on by as large a part
    /// of a round.
    ///
    /// Of a large table it goes on by some 2,048 pages, as long as a look-up goes through no more than 128 runs, half of
    /// them on average.
    static func mostRuns(pages: Int) -> UInt64 { UInt64(min(max(pages / 2048, 16), 128)) }
    static let entriesPerChunk = 100
    static let bytesPerEntry = 20

    let table: MessageStoreLMDB.Table
    var hand = Place()
    /// Runs from which the hand has not yet moved everything, oldest first.
    var unmoved: [Run] = []

    /// Reads what is there in a transaction.
    init(in transaction: borrowing some Transaction & ~Copyable, _ table: MessageStoreLMDB.Table) throws {
        self.table = table
        let first = UInt64(0).bigEndianBytes
        var cursor = try transaction.cursor(in: table)
        guard try cursor.move(.first) else { return }
        hand = try Self.place(cursor.value, at: cursor.key)
        guard cursor.key.isEqual(to: first.span.bytes), hand.round < .max else {
            throw StoreError.unreadableRow(of: .identities, at: cursor.key)
        }
        var number: UInt64 = 0
        while try cursor.seek((number + 1).bigEndianBytes.span.bytes) {
            guard let found = cursor.key.loadBigEndian(at: 0, as: UInt64.self), cursor.key.byteCount == 8,
                found < .max, case let start = try Self.place(cursor.value, at: cursor.key), start <= hand
            else { throw StoreError.unreadableRow(of: .identities, at: cursor.key) }
            number = found
            unmoved.append(Run(number: number, start: start))
        }
    }

    private static func place(_ row: RawSpan, at key: RawSpan) throws -> Place {
        guard row.byteCount == 16, let round = row.loadBigEndian(at: 0, as: UInt64.self),
            let key = row.loadBigEndian(at: 8, as: UInt64.self)
        else { throw StoreError.unreadableRow(of: .identities, at: key) }
        return Place(round: round, key: key)
    }

    /// Whether the hand has moved the keys that begin with `key` from a run to the table.
    @inline(__always)
    func hasMoved(_ key: UInt64, from run: Run) -> Bool {
        Place(round: key < run.start.key ? run.start.round + 1 : run.start.round, key: key) < hand
    }

    /// Whether the hand has moved all keys of a run.
    func hasMovedAll(from run: Run) -> Bool { Place(round: run.start.round + 1, key: run.start.key) <= hand }

    /// The hand's place after a flush, where the table has some pages.
    func target(pages: Int) -> Place {
        let mostRuns = Self.mostRuns(pages: pages)
        let next = hand.advanced(by: UInt64.max / mostRuns + 1)
        // If it did not move, since commits failed, it catches up.
        let surplus = unmoved.count - Int(mostRuns)
        guard surplus > 0 else { return next }
        let start = unmoved[surplus - 1].start
        return max(next, Place(round: start.round + 1, key: start.key))
    }
}

// MARK: Reading

extension StoredIdentities {
    /// The position of a key that is in a run, big-endian, in the map.
    func lookup(
        _ key: RawSpan, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> UnsafeRawBufferPointer? {
        guard !unmoved.isEmpty, let identity = IdentityKey(key) else { return nil }
        var cursor = try transaction.unboundCursor(in: table)
        var sought = ByteWriter(capacity: 32)
        for run in unmoved.reversed() where !hasMoved(identity.high, from: run) {
            guard let chunk = try chunk(of: run, from: identity, &cursor, &sought) else { continue }
            let index = chunk.firstIndex { !$0.precedes(identity) }
            if chunk[index].key == identity { return chunk.position(at: index) }
        }
        return nil
    }

    /// Calls `body` with what the runs have of the keys whose first half is in a range, each run in its order.
    func forEach(
        _ range: ClosedRange<UInt64> = 0 ... .max, in transaction: borrowing some Transaction & ~Copyable,
        _ body: (IdentityRun.Entry) throws -> Void
    ) throws {
        var cursor = try transaction.unboundCursor(in: table)
        var sought = ByteWriter(capacity: 32)
        for run in unmoved {
            var next: IdentityKey? = IdentityKey(high: range.lowerBound, low: 0)
            while let first = next, let chunk = try chunk(of: run, from: first, &cursor, &sought) {
                for index in chunk.firstIndex(where: { !$0.precedes(first) })..<chunk.count {
                    let entry = chunk[index]
                    if range.contains(entry.high), !hasMoved(entry.high, from: run) { try body(entry) }
                }
                let last = chunk[chunk.count - 1].key
                next = last.high > range.upperBound ? nil : last.next
            }
        }
    }

    /// The same, sorted.
    func entries(
        _ range: ClosedRange<UInt64> = 0 ... .max, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [IdentityRun.Entry] {
        var entries: [IdentityRun.Entry] = []
        try forEach(range, in: transaction) { entries.append($0) }
        // Runs are sorted already, which this sort makes use of.
        entries.sort { $0.precedes($1) }
        return entries
    }

    /// The stored entries of sorted identities at some indices, by index.
    func found(
        _ indices: [Int], of rows: IdentityRun, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [Int: Found] {
        var found: [Int: Found] = [:]
        var cursor = try transaction.unboundCursor(in: table)
        var sought = ByteWriter(capacity: 32)
        for run in unmoved {
            var next = 0
            while next < indices.count,
                let chunk = try chunk(of: run, from: rows[indices[next]].key, &cursor, &sought)
            {
                var index = 0
                while next < indices.count, index < chunk.count {
                    let (row, entry) = (rows[indices[next]], chunk[index])
                    if entry.hasKey(of: row), !hasMoved(entry.high, from: run) {
                        found[indices[next]] = Found(chunk: [UInt8](cursor.key), index: index, position: entry.position)
                    }
                    if entry.precedes(row) { index += 1 } else { next += 1 }
                }
            }
        }
        return found
    }

    /// An identity in a run.
    struct Found {
        /// The key of its chunk.
        let chunk: [UInt8]
        /// Its place there.
        let index: Int
        /// Big-endian, as it is in the row.
        let position: UInt64
    }

    /// The chunk of a run whose last key is the first that is not less than `key`; nil if there is none.
    private func chunk(
        of run: Run, from key: IdentityKey, _ cursor: inout UnboundCursor, _ sought: inout ByteWriter
    ) throws -> IdentityChunk? {
        sought.removeAll()
        sought.appendBigEndian(run.number)
        key.write(to: &sought)
        guard try sought.bytes.withUnsafeBytes({ try cursor.seek($0) }), cursor.key.count == 20,
            cursor.key.loadUnaligned(as: UInt64.self).byteSwapped == run.number
        else { return nil }
        // The last identity must have the chunk's key, so that whoever goes on from there gets further.
        guard let chunk = IdentityChunk(cursor.value),
            let last = IdentityKey(RawSpan(_unsafeBytes: cursor.key).extracting(8..<20)),
            chunk[chunk.count - 1].key == last
        else {
            throw StoreError.unreadableRow(of: .identities, at: RawSpan(_unsafeBytes: cursor.key))
        }
        return chunk
    }
}

/// Sorted identities side by side in a row: twelve bytes of key and eight of position each.
struct IdentityChunk {
    private let bytes: UnsafeRawBufferPointer
    let count: Int

    /// The bytes must live as long as the chunk; nil for bytes that are no chunk.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: StoredIdentities.bytesPerEntry) else { return nil }
        self.bytes = bytes
        count = bytes.count / StoredIdentities.bytesPerEntry
    }

    subscript(index: Int) -> IdentityRun.Entry {
        let offset = index * StoredIdentities.bytesPerEntry
        return IdentityRun.Entry(
            high: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).byteSwapped,
            low: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt32.self).byteSwapped,
            position: bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt64.self).byteSwapped)
    }

    func position(at index: Int) -> UnsafeRawBufferPointer {
        let offset = index * StoredIdentities.bytesPerEntry + 12
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 8])
    }

    /// The first index at which a condition holds that holds for all after it; the last if there is none.
    func firstIndex(where condition: (IdentityRun.Entry) -> Bool) -> Int {
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) &>> 1
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension IdentityRun.Entry {
    @inline(__always) func precedes(_ key: IdentityKey) -> Bool {
        high != key.high ? high < key.high : low < key.low
    }
}

extension IdentityKey {
    /// The least key above this one; nil for the greatest.
    fileprivate var next: IdentityKey? {
        if low < .max { return IdentityKey(high: high, low: low + 1) }
        return high < .max ? IdentityKey(high: high + 1, low: 0) : nil
    }
}
