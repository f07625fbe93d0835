internal import MessageStoreLMDB

/// A log's tables, copied entry by entry into an environment that never held anything else, while they are read and
/// written.
struct LogCopy {
    private let old: LogTables
    let new: LogTables
    /// What the copy never has.
    private let erasure: LedgerErasure?
    /// The records that the copy leaves out; nil for none.
    private let cut: LogCut?
    private var records = TableCopy()

    init(of old: LogTables, in new: LogTables, erasing erasure: LedgerErasure? = nil, cuttingOff cut: LogCut? = nil) {
        (self.old, self.new, self.erasure, self.cut) = (old, new, erasure, cut)
    }

    /// Copies the symbols, and the records that were not copied before.
    ///
    /// While events are recorded, a pause follows each step, so that those who record them have the processors and the
    /// medium most of the time.
    ///
    /// - Parameters:
    ///   - last: The log's last position now.
    ///   - progress: Called after each step with the position reached.
    mutating func copyMost(of last: () -> Position, _ progress: (Position) throws -> Void) throws {
        try makeTables()
        try writeCut()
        for (table, target) in [(old.names, new.names), (old.numbers, new.numbers)] {
            var entries = TableCopy()
            while try entries.step(of: table, in: old.environment, to: target, in: new.environment) {}
        }
        while true {
            let (before, start) = (last(), ContinuousClock.now)
            let hasMore = try step()
            try progress(reached)
            guard hasMore else { return }
            guard last() != before else { continue }
            let took = (ContinuousClock.now - start) / .milliseconds(1)
            FileSystem.pause(milliseconds: UInt32(min(Self.pauseOfStep * took, 200)))
        }
    }

    /// How many times as long as the step before it a pause is.
    private static let pauseOfStep = 3.0

    /// Copies the records that were added since.
    mutating func copyAdded() throws { while try step() {} }

    var reached: Position {
        Position(records.lastKey.span.bytes.loadBigEndian(at: 0, as: UInt64.self) ?? 0)
    }

    private func isLeftOut(_ key: RawSpan) -> Bool {
        guard let cut, let number = key.loadBigEndian(at: 0, as: UInt64.self) else { return false }
        return cut.positions.contains(Position(number))
    }

    /// Writes the gaps and identities of what was cut off before, and of what is cut off now.
    private func writeCut() throws {
        guard old.gaps != nil || cut != nil else { return }
        var missing = cut.map { cut in cut.positions.ranges.map { LogGap($0, cause: cut.cause) } } ?? []
        var identities = cut?.identities ?? []
        if let gaps = old.gaps, let cutIdentities = old.cutIdentities {
            try old.environment.read { transaction in
                try LogGap.forEach(in: gaps, transaction) { missing.append($0) }
                try CutIdentities.forEach(in: cutIdentities, transaction) { identities.append($0) }
            }
        }
        missing = missing.ordered { $0.positions.lowerBound < $1.positions.lowerBound }
        identities.sort()
        try new.writeCut(missing.joined, identities.withoutRepeats)
    }

    /// The bytes in the place of a record; nil for one that stays.
    private func erased(_ key: RawSpan, _ value: RawSpan) throws -> [UInt8]? {
        let record = try LogSnapshot.verified(key, value)
        return erasure?.bytes(of: record)
    }

    private mutating func step() throws -> Bool {
        try records.step(
            of: old.records, in: old.environment, to: new.records, in: new.environment, leavingOut: isLeftOut,
            replacing: erased)
    }

    /// Makes the tables that not every log has, which takes a commit of its own.
    private func makeTables(for staged: some Sequence<PreparedAppend> = []) throws {
        if try old.subscriptionTable(create: false) != nil { _ = try new.subscriptionTable(create: true) }
        if try old.owedTable(create: false) != nil { _ = try new.owedTable(create: true) }
        try new.makeTables(for: staged)
    }

    /// Copies the rest of the log in one commit, as a snapshot has it.
    ///
    /// - Parameters:
    ///   - owed: What was owed when the copy began, which it is free of.
    ///   - changed: The positions of records that were changed since the copy began.
    mutating func finish(_ snapshot: borrowing LogSnapshot, owed: [OwedErasure.Row], changed: [Position]) throws {
        try makeTables(for: snapshot.staged)
        let before = records
        let committed = try snapshot.lastCommittedPosition()
        records = try new.environment.write { transaction in
            var records = before
            let tables = snapshot.tables
            while try records.step(
                of: tables.records, in: snapshot.transaction, to: new.records, in: transaction,
                leavingOut: isLeftOut, replacing: erased)
            {}
            try copy(changed, snapshot, in: transaction)
            try copySymbols(snapshot, in: transaction)
            try new.copyErasedIDs(from: snapshot, in: transaction)
            try copySubscriptions(snapshot, in: transaction)
            try copyOwed(except: owed, snapshot, in: transaction)
            // Their own rows follow those of the log.
            for prepared in snapshot.staged {
                let left = erasure == nil ? prepared : prepared.erased(by: erasure, symbols: prepared.symbols)
                try new.write(left, after: committed, in: transaction)
            }
            return records
        }
        guard reached == committed else {
            throw StoreError(.logDamaged, "the copy ends at \(reached), and the log at \(committed)")
        }
    }

    private func copy(
        _ positions: [Position], _ snapshot: borrowing LogSnapshot, in transaction: borrowing WriteTransaction
    ) throws {
        for position in positions where cut?.positions.contains(position) != true {
            guard let record = try snapshot.record(at: position) else { continue }
            try withUnsafeBytes(of: position.rawValue.bigEndian) {
                let key = RawSpan(_unsafeBytes: $0)
                guard let erased = erasure?.bytes(of: record) else {
                    return try transaction.put(record.bytes, for: key, in: new.records)
                }
                try transaction.put(erased.span.bytes, for: key, in: new.records)
            }
        }
    }

    /// Copies the symbols that the copy lacks; those that are no numbers of records, which are few, all over.
    private func copySymbols(
        _ snapshot: borrowing LogSnapshot, in transaction: borrowing WriteTransaction
    ) throws {
        for space in SalvagedNames.spaces {
            let first = try SymbolTable.nextCommittedNumber(space, in: transaction, new)
            let end = try SymbolTable.nextCommittedNumber(space, in: snapshot.transaction, snapshot.tables)
            for number in first..<max(first, end) {
                let key = SymbolTable.key(space, number)
                guard let name = try snapshot.transaction.value(for: key.span.bytes, in: snapshot.tables.names),
                    name.byteCount >= 8
                else {
                    throw SymbolTable.damage(space, number)
                }
                let bytes = name.extracting(8..<name.byteCount).copied
                try new.write(.init(space: space, number: number, bytes: bytes), in: transaction)
            }
        }
        var cursor = try snapshot.transaction.cursor(in: snapshot.tables.names)
        var isFound = try cursor.seek([SymbolSpace.hostEvent.rawValue].span.bytes)
        while isFound {
            try transaction.put(cursor.value, for: cursor.key, in: new.names)
            isFound = try cursor.move(.next)
        }
    }

    private func copySubscriptions(
        _ snapshot: borrowing LogSnapshot, in transaction: borrowing WriteTransaction
    ) throws {
        guard let from = try snapshot.tables.subscriptionTable(create: false),
            let to = try new.subscriptionTable(create: false)
        else { return }
        var cursor = try snapshot.transaction.cursor(in: from)
        while try cursor.move(.next) { try transaction.put(cursor.value, for: cursor.key, in: to) }
    }

    /// Copies what is owed; of the first rows, only files that others may still read hold it.
    private func copyOwed(
        except first: [OwedErasure.Row], _ snapshot: borrowing LogSnapshot, in transaction: borrowing WriteTransaction
    ) throws {
        guard let from = try snapshot.tables.owedTable(create: false), let to = try new.owedTable(create: false) else {
            return
        }
        var cursor = try snapshot.transaction.cursor(in: from)
        while try cursor.move(.next) {
            let key = try OwedErasure.key(cursor.key)
            var erasure = try OwedErasure(cursor.value)
            if erasure.state == .blanked, first.contains(.init(key: key, erasure: erasure)) {
                erasure.state = .compacted
            }
            try erasure.put(at: key, to: to, in: transaction)
        }
    }
}

extension [LogGap] {
    /// The same positions, with those in one gap that follow each other; the gaps are ascending.
    fileprivate var joined: [LogGap] {
        reduce(into: []) { joined, gap in
            if let last = joined.last, last.positions.upperBound.rawValue + 1 == gap.positions.lowerBound.rawValue {
                joined[joined.count - 1] = LogGap(
                    last.positions.lowerBound...gap.positions.upperBound, cause: Swift.max(last.cause, gap.cause))
            } else {
                joined.append(gap)
            }
        }
    }
}

extension [IdentityKey] {
    /// The same keys, each once as far as they are kept; they are ascending.
    var withoutRepeats: [IdentityKey] {
        reduce(into: []) { keys, key in
            if let last = keys.last, last.high == key.high, last.low >> 24 == key.low >> 24 { return }
            keys.append(key)
        }
    }
}
