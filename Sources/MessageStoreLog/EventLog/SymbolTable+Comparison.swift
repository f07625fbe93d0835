internal import MessageStoreLMDB

/// The names have checksums and the numbers have none: together they prove that no symbol was lost.
extension SymbolTable {
    /// Compares the two tables of one kind, once after each opening: before the first string that is said to be new.
    /// All symbols of the kind are cached then, if they are few enough; until some are dropped, no other new one needs
    /// a look into the tables.
    ///
    /// Costs about a microsecond for each symbol of the kind.
    func compareOnce<Value: Symbol>(_ kind: Value.Type) throws {
        guard !compared.withLock({ $0.contains(Value.space) }) else { return }
        // Another process may write a log that is open for reading only; replacements have symbols in addition to the
        // log's.
        var isAll = storage.tables.environment.configuration.access != .readOnly && base == nil
        let drops = withCache(of: kind) { $0.drops }
        try read { transaction, tables in
            _ = try compare(Value.space, in: transaction, tables) { number, name in
                guard isAll else { return }
                let value = Value(symbolBytes: name)
                isAll =
                    number < Self.cacheLimit && value.map { remember($0, $0.symbolHash, number, since: drops) } ?? false
            }
        }
        compared.withLock { _ = $0.insert(Value.space) }
        guard isAll else { return }
        withCache(of: kind) { $0.isComplete = $0.drops == drops }
    }

    /// Compares the two tables in full, and reads the names that have no number.
    ///
    /// - Returns: How many symbols are in both.
    /// - Throws: ``StoreError`` with code `logDamaged`, which names the first symbol that is missing or damaged.
    func compareTables() throws -> Int {
        try read { transaction, tables in
            let count = try [.conversation, .user, .contentType].reduce(0) {
                try $0 + compare($1, in: transaction, tables)
            }
            var all = count
            _ = try ErasedIDs(in: transaction, tables)
            for space in [SymbolSpace.hostEvent, .store, .erased, .clock] {
                var cursor = try transaction.cursor(in: tables.names)
                var isFound = try cursor.seek([space.rawValue].span.bytes)
                while isFound, cursor.key.load(at: 0, as: UInt8.self) == space.rawValue {
                    let number = cursor.key.loadBigEndian(at: 1, as: UInt32.self) ?? 0
                    _ = try storedName(space, number, in: transaction, tables)
                    all += 1
                    isFound = try cursor.move(.next)
                }
            }
            let entries = try (
                transaction.statistics(of: tables.names).entries, transaction.statistics(of: tables.numbers).entries
            )
            guard entries == (all, count) else {
                throw StoreError(
                    .logDamaged,
                    "of \(entries.0) names and \(entries.1) numbers of symbols, \(all) and \(count) can be found")
            }
            return count
        }
    }

    /// The first frame whose names cannot follow the log's: numbers are dense, and one that the log has never gets
    /// another name, but for a placeholder where an id was erased.
    ///
    /// - Parameter frames: The symbols of each.
    func firstConflict(in frames: [[PendingSymbols.Entry]]) throws -> Int? {
        try read { transaction, tables in
            var next: [SymbolSpace: UInt32] = [:]
            var new: Set<[UInt8]> = []
            let erased = try ErasedIDs(in: transaction, tables).subjects
            for (index, frame) in frames.enumerated() {
                for symbol in frame {
                    let space = symbol.space
                    guard SalvagedNames.spaces.contains(space), symbol.number > 0 else { return index }
                    let free = try next[space] ?? Self.nextCommittedNumber(space, in: transaction, tables)
                    if symbol.number < free {
                        // A commit took the first batches of the frame.
                        guard
                            try storedName(space, symbol.number, in: transaction, tables) == symbol.bytes
                                || erased.contains(.init(space: space, number: symbol.number))
                        else {
                            return index
                        }
                        continue
                    }
                    let key = Self.key(space, symbol.bytes)
                    guard symbol.number == free, free < .max, new.insert(key).inserted,
                        try transaction.value(for: key.span.bytes, in: tables.numbers) == nil
                    else { return index }
                    next[space] = free + 1
                }
            }
            return nil
        }
    }

    /// Compares the two tables of one kind both ways: numbers are dense from 1, each has a name whose checksum fits,
    /// each name is found under its key and has that number, and there are as many of the one as of the other.
    private func compare(
        _ space: SymbolSpace, in transaction: borrowing ReadTransaction, _ tables: LogTables,
        note: (_ number: UInt32, _ name: [UInt8]) -> Void = { _, _ in }
    ) throws -> Int {
        var next: UInt32 = 1
        var cursor = try transaction.cursor(in: tables.names)
        var isFound = try cursor.seek(Self.key(space, 0).span.bytes)
        while isFound, cursor.key.load(at: 0, as: UInt8.self) == space.rawValue {
            guard cursor.key.loadBigEndian(at: 1, as: UInt32.self) == next else { throw Self.damage(space, next) }
            let name = try storedName(space, next, in: transaction, tables)
            let stored = try transaction.value(for: Self.key(space, name).span.bytes, in: tables.numbers)
            guard stored?.load(at: 0, as: UInt32.self) == next else { throw Self.damage(space, next) }
            note(next, name)
            next += 1
            isFound = try cursor.move(.next)
        }
        var count: UInt32 = 0
        var others = try transaction.cursor(in: tables.numbers)
        isFound = try others.seek([space.rawValue].span.bytes)
        while isFound, others.key.load(at: 0, as: UInt8.self) == space.rawValue {
            count += 1
            isFound = try others.move(.next)
        }
        guard count == next - 1 else {
            throw StoreError(
                .logDamaged, "of the symbols of the kind \(space), \(next - 1) have a name and \(count) have a number")
        }
        return Int(count)
    }
}
