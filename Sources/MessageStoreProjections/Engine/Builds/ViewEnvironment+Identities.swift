internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension ViewEnvironment {
    /// Writes the identities of a layer, and answers by how much their digest changes.
    ///
    /// - Parameters:
    ///   - position: The position that the layer reaches.
    ///   - pages: About how many pages may change; where it would be more, the identities become a run.
    func write(
        _ rows: IdentityRun, upTo position: Position, pages: Int, in transaction: borrowing WriteTransaction
    ) throws -> UInt64 {
        let stored = try StoredIdentities(in: transaction, identityRuns)
        let doubtful = (0..<rows.count).filter { !rows[$0].isNew }
        let found = try stored.found(doubtful, of: rows, in: transaction)
        try replace(found, by: rows, in: transaction)
        let table = tables[ViewTable.identities.index]
        #if DEBUG
        try checkNew(rows, stored, in: transaction)
        #endif
        let seed = catalog.tables[ViewTable.identities.index].digestSeed
        let statistics = try transaction.statistics(of: table)
        let isEmpty = statistics.entries == 0
        let goesToTable =
            min(rows.count, statistics.pages) <= pages
            || stored.unmoved.last.map { $0.number >= position.rawValue } ?? false
        var run = IdentityRunWriter(capacity: goesToTable ? 0 : rows.count)
        var change: UInt64 = 0
        let cursor = try transaction.writeCursor(in: table)
        var bytes = ByteWriter(capacity: 16)
        for index in 0..<rows.count {
            let entry = rows[index]
            change &+= Digest.identity(seed, entry)
            if entry.isNew, !goesToTable {
                run.append(entry)
                continue
            }
            if let found = found[index] {
                change &-= Digest.identity(seed, entry, position: found.position)
                continue
            }
            bytes.removeAll()
            entry.key.write(to: &bytes)
            var isKnown = false
            if !isEmpty, !entry.isNew, let old = try cursor.value(for: bytes.bytes) {
                change &-= Digest.row(seed, bytes.bytes, old)
                isKnown = true
            }
            guard isKnown || goesToTable else {
                run.append(entry)
                continue
            }
            try withUnsafeBytes(of: entry.position) {
                try cursor.put(RawSpan(_unsafeBytes: $0), for: bytes.bytes, mode: isEmpty ? .append : .upsert)
            }
        }
        try put(run, position, stored.hand, in: transaction)
        return change
    }

    #if DEBUG
    /// Checks that no row has the keys that are certainly new.
    private func checkNew(
        _ rows: IdentityRun, _ stored: StoredIdentities, in transaction: borrowing WriteTransaction
    ) throws {
        let new = (0..<rows.count).filter { rows[$0].isNew }
        let inRuns = try stored.found(new, of: rows, in: transaction)
        precondition(inRuns.isEmpty, "a run has an identity that is certainly new")
        for index in new {
            var key = ByteWriter(capacity: 16)
            rows[index].key.write(to: &key)
            let old = try transaction.value(for: key.bytes, in: tables[ViewTable.identities.index])
            precondition(old == nil, "the table has an identity that is certainly new")
        }
    }
    #endif

    /// Sets positions in the runs.
    private func replace(
        _ found: [Int: StoredIdentities.Found], by rows: IdentityRun, in transaction: borrowing WriteTransaction
    ) throws {
        for (index, found) in found {
            guard var chunk = try transaction.value(for: found.chunk.span.bytes, in: identityRuns)?.copied else {
                throw StoreError.unreadableRow(of: .identities, at: found.chunk.span.bytes)
            }
            let offset = found.index * StoredIdentities.bytesPerEntry + 12
            withUnsafeBytes(of: rows[index].position) { chunk.replaceSubrange(offset..<offset + 8, with: $0) }
            try transaction.put(chunk.span.bytes, for: found.chunk.span.bytes, in: identityRuns)
        }
    }

    private func put(
        _ run: borrowing IdentityRunWriter, _ position: Position, _ hand: StoredIdentities.Place,
        in transaction: borrowing WriteTransaction
    ) throws {
        guard run.count > 0 else { return }
        try put(hand, at: 0, in: transaction)
        try put(hand, at: position.rawValue, in: transaction)
        try run.forEachChunk(number: position.rawValue) { key, chunk throws in
            try transaction.put(chunk, for: key, in: identityRuns, mode: .append)
        }
    }

    private func put(
        _ place: StoredIdentities.Place, at number: UInt64, in transaction: borrowing WriteTransaction
    ) throws {
        var row = ByteWriter(capacity: 16)
        row.appendBigEndian(place.round)
        row.appendBigEndian(place.key)
        try transaction.put(row.bytes, for: number.bigEndianBytes.span.bytes, in: identityRuns)
    }

    /// Moves identities from the runs to their table, as many as are due after a flush, in transactions that change
    /// about so many pages each.
    func moveIdentities(pages: Int) throws {
        var target = try environment.read { transaction -> StoredIdentities.Place? in
            let stored = try StoredIdentities(in: transaction, identityRuns)
            guard !stored.unmoved.isEmpty else { return nil }
            return stored.target(pages: try transaction.statistics(of: tables[ViewTable.identities.index]).pages)
        }
        while let aim = target {
            let hand = try environment.write { try moveIdentities(to: aim, pages: pages, in: $0) }
            target = hand < aim ? aim : nil
        }
    }

    /// Moves the hand towards `target`; answers where it is.
    private func moveIdentities(
        to target: StoredIdentities.Place, pages: Int, in transaction: borrowing WriteTransaction
    ) throws -> StoredIdentities.Place {
        var stored = try StoredIdentities(in: transaction, identityRuns)
        guard stored.hand < target else { return stored.hand }
        // Never further than to the end of the round.
        let isWhole = target.round > stored.hand.round
        let last = isWhole ? UInt64.max : target.key - 1
        var entries = try stored.entries(stored.hand.key...last, in: transaction)
        var next = isWhole ? StoredIdentities.Place(round: stored.hand.round + 1) : target
        let table = tables[ViewTable.identities.index]
        let part = Double(last - stored.hand.key) / Double(UInt64.max)
        let changed = min(entries.count, Int(Double(try transaction.statistics(of: table).pages) * part) + 1)
        if changed > pages {
            // Up to a key that no moved identity has.
            let count = max(entries.count / (changed / max(pages, 1) + 1), 1)
            if let end = entries[count...].firstIndex(where: { $0.high != entries[count - 1].high }) {
                next = StoredIdentities.Place(round: stored.hand.round, key: entries[end].high)
                entries.removeSubrange(end...)
            }
        }
        let cursor = try transaction.writeCursor(in: table)
        var key = ByteWriter(capacity: 16)
        for entry in entries {
            key.removeAll()
            entry.key.write(to: &key)
            try withUnsafeBytes(of: entry.position) { try cursor.put(RawSpan(_unsafeBytes: $0), for: key.bytes) }
        }
        stored.hand = next
        try put(next, at: 0, in: transaction)
        for run in stored.unmoved where stored.hasMovedAll(from: run) { try remove(run, in: transaction) }
        return next
    }

    private func remove(_ run: StoredIdentities.Run, in transaction: borrowing WriteTransaction) throws {
        while true {
            let key: [UInt8]? = try {
                var cursor = try transaction.cursor(in: identityRuns)
                guard try cursor.seek(run.number.bigEndianBytes.span.bytes),
                    cursor.key.loadBigEndian(at: 0, as: UInt64.self) == run.number
                else { return nil }
                return cursor.key.copied
            }()
            guard let key else { return }
            try transaction.remove(key.span.bytes, in: identityRuns)
        }
    }
}

/// Packs identities, which come in order, into the chunks of a run.
private struct IdentityRunWriter: ~Copyable {
    private var bytes: ByteWriter
    private(set) var count = 0

    init(capacity: Int) { bytes = ByteWriter(capacity: max(capacity * StoredIdentities.bytesPerEntry, 16)) }

    mutating func append(_ entry: IdentityRun.Entry) {
        entry.key.write(to: &bytes)
        bytes.append(entry.position)
        count += 1
    }

    /// Calls `body` with the key of each chunk, which ends in its last identity's, and the chunk.
    borrowing func forEachChunk(number: UInt64, _ body: (RawSpan, RawSpan) throws -> Void) throws {
        let size = StoredIdentities.bytesPerEntry
        var key = ByteWriter(capacity: 32)
        for start in stride(from: 0, to: count, by: StoredIdentities.entriesPerChunk) {
            let end = min(start + StoredIdentities.entriesPerChunk, count)
            key.removeAll()
            key.appendBigEndian(number)
            let all = bytes.bytes
            key.append(all.extracting((end - 1) * size..<(end - 1) * size + 12).copied)
            try body(key.bytes, all.extracting(start * size..<end * size))
        }
    }
}
