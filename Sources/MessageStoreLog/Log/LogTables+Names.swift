internal import MessageStoreLMDB

/// The names of a log: the strings of symbols, which a second table leads back to their numbers, and what else the log
/// notes by a kind and a number.
extension SymbolSpace {
    /// The kinds of symbols, which records name by their numbers.
    static let ofRecords = allCases.filter(\.isOfRecords)

    /// Whether the names of the kind are symbols.
    var isOfRecords: Bool { rawValue <= SymbolSpace.contentType.rawValue }
}

extension LogTables {
    typealias Name = PendingSymbols.Entry

    /// The name of a number; nil if there is none.
    func name(
        _ space: SymbolSpace, _ number: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [UInt8]? {
        try Self.reportingDamage(space, number) {
            guard let stored = try transaction.value(for: SymbolTable.key(space, number).span.bytes, in: names) else {
                return nil
            }
            return try Self.name(space, number, stored)
        }
    }

    /// Runs a read of a name; a seal that does not fit is damage of it.
    static func reportingDamage<Result>(
        _ space: SymbolSpace, _ number: UInt32, _ read: () throws -> Result
    ) throws -> Result {
        do { return try read() } catch let error as LMDBError where error.isOfSealedValue {
            throw SymbolTable.damage(space, number)
        }
    }

    /// The name in an entry of the table of names, for which the entry's checksum vouches.
    static func name(_ space: SymbolSpace, _ number: UInt32, _ stored: RawSpan) throws -> [UInt8] {
        guard let checksum = stored.load(at: 0, as: UInt64.self) else { throw SymbolTable.damage(space, number) }
        let name = stored.extracting(8..<stored.byteCount)
        guard checksum == SymbolTable.checksum(space, number, name) else { throw SymbolTable.damage(space, number) }
        return name.copied
    }

    /// The checksum of an entry of the table of names; 0 for a key that is none.
    static func checksum(ofName value: RawSpan, _ key: RawSpan) -> UInt64 {
        guard let space = key.load(at: 0, as: UInt8.self).flatMap(SymbolSpace.init),
            let number = key.loadBigEndian(at: 1, as: UInt32.self)
        else { return 0 }
        return SymbolTable.checksum(space, number, value.extracting(8..<value.byteCount))
    }

    /// Calls `body` with the names of a kind from a number on, ascending.
    func forEachName(
        of space: SymbolSpace, from first: UInt32 = 0, in transaction: borrowing some Transaction & ~Copyable,
        _ body: (Name) throws -> Void
    ) throws {
        var cursor = try transaction.cursor(in: names)
        var isFound = try cursor.seek(SymbolTable.key(space, first).span.bytes)
        while isFound, cursor.key.load(at: 0, as: UInt8.self) == space.rawValue {
            let number = cursor.key.loadBigEndian(at: 1, as: UInt32.self) ?? 0
            let bytes = try Self.reportingDamage(space, number) { try Self.name(space, number, cursor.value) }
            try body(.init(space: space, number: number, bytes: bytes))
            isFound = try cursor.move(.next)
        }
    }

    /// The names of a kind, ascending.
    func names(of space: SymbolSpace, in transaction: borrowing some Transaction & ~Copyable) throws -> [Name] {
        var found: [Name] = []
        try forEachName(of: space, in: transaction) { found.append($0) }
        return found
    }

    /// The numbers of conversations whose names begin with bytes.
    func conversations(
        beginningWith prefix: [UInt8], in transaction: borrowing WriteTransaction
    ) throws -> [UInt32] {
        var found: [UInt32] = []
        let prefix = numberKey(.conversation, prefix)
        var cursor = try transaction.cursor(in: numbers)
        var isFound = try cursor.seek(prefix.span.bytes)
        while isFound, cursor.key.copied.starts(with: prefix) {
            found.append(try cursor.value.load(at: 0, as: UInt32.self) ?? 0)
            isFound = try cursor.move(.next)
        }
        return found
    }

    /// Compares names and numbers of the symbols of one kind both ways: numbers are dense from 1, each has a name whose checksum fits,
    /// each name is found under its key and has that number, and there are as many of the one as of the other.
    @discardableResult
    func compareNames(
        of space: SymbolSpace, in transaction: borrowing ReadTransaction,
        note: (_ number: UInt32, _ name: [UInt8]) -> Void = { _, _ in }
    ) throws -> Int {
        var next: UInt32 = 1
        try forEachName(of: space, in: transaction) { name in
            let stored = try transaction.value(for: numberKey(space, name.bytes).span.bytes, in: numbers)
            guard name.number == next, stored?.load(at: 0, as: UInt32.self) == next else {
                throw SymbolTable.damage(space, next)
            }
            note(next, name.bytes)
            next += 1
        }
        var count: UInt32 = 0
        var others = try transaction.cursor(in: numbers)
        var isFound = try others.seek([space.rawValue].span.bytes)
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

    /// Writes a name, and of a symbol its number.
    func write(_ name: Name, in transaction: borrowing WriteTransaction) throws {
        let (space, number, bytes) = (name.space, name.number, name.bytes)
        var value = ByteWriter(capacity: 8 + bytes.count)
        value.append(SymbolTable.checksum(space, number, bytes.span.bytes))
        value.append(bytes)
        try transaction.put(value.bytes, for: SymbolTable.key(space, number).span.bytes, in: names)
        guard space.isOfRecords else { return }
        var stored = ByteWriter(capacity: 16)
        stored.append(number)
        try transaction.put(stored.bytes, for: numberKey(space, bytes).span.bytes, in: numbers)
    }

    /// Writes names in one commit.
    func write(_ names: [Name]) throws {
        try environment.write { transaction in for name in names { try write(name, in: transaction) } }
    }

    /// Writes a name of a kind whose numbers say nothing, after the last one.
    func add(_ name: [UInt8], to space: SymbolSpace, in transaction: borrowing WriteTransaction) throws {
        let number = try SymbolTable.nextCommittedNumber(space, in: transaction, self)
        try write(.init(space: space, number: number, bytes: name), in: transaction)
    }

    /// Writes a symbol in the place of the name that its number has.
    func replace(_ name: [UInt8], by symbol: Name, in transaction: borrowing WriteTransaction) throws {
        try transaction.remove(numberKey(symbol.space, name).span.bytes, in: numbers)
        try write(symbol, in: transaction)
    }

    /// Copies the symbols that a copy of a log lacks, all other names, which may have changed since it began, and the
    /// placeholders of ids that were erased since.
    func copyNames(from snapshot: borrowing LogSnapshot, in transaction: borrowing WriteTransaction) throws {
        for space in SymbolSpace.allCases {
            var next = space.isOfRecords ? try SymbolTable.nextCommittedNumber(space, in: transaction, self) : 0
            try snapshot.tables.forEachName(of: space, from: next, in: snapshot.transaction) { name in
                guard !space.isOfRecords || name.number == next else { throw SymbolTable.damage(space, next) }
                try write(name, in: transaction)
                next += 1
            }
        }
        for subject in try ErasedIDs(in: snapshot.transaction, snapshot.tables).subjects {
            let (space, number) = (subject.space, subject.number)
            guard let name = try snapshot.tables.name(space, number, in: snapshot.transaction),
                let old = try self.name(space, number, in: transaction), old != name
            else { continue }
            try replace(old, by: .init(space: space, number: number, bytes: name), in: transaction)
        }
    }
}

extension SymbolTable {
    /// The names of a kind in the log, ascending.
    func names(of space: SymbolSpace) throws -> [LogTables.Name] {
        try read { try $1.names(of: space, in: $0) }
    }
}

extension LogSnapshot {
    /// The highest numbers of symbols that some events name.
    borrowing func highestSymbols(from first: Position, to last: Position) throws -> [SymbolSpace: UInt32] {
        var highest: [SymbolSpace: UInt32] = [:]
        try scan(from: first, to: last) { record in
            record.forEachSymbolNumber { highest[$0] = max(highest[$0] ?? 0, $1) }
            return .proceed
        }
        return highest
    }
}
