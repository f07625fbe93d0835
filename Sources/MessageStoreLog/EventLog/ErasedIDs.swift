internal import MessageStoreLMDB

/// The users and conversations whose ids were erased: their numbers, and hashes by which they are known when they come
/// again.
///
/// Each commit that erases ids adds an entry to the log's names: the secret that is the key of its hashes, and of each id
/// the kind, the number and the hash.
struct ErasedIDs: Sendable {
    /// A user or conversation.
    struct Subject: Hashable, Sendable {
        let space: SymbolSpace
        let number: UInt32
    }

    static let secretSize = 16
    private static let rowSize = 21

    private(set) var subjects: Set<Subject> = []
    /// The entries as they are stored.
    private(set) var entries: [[UInt8]] = []
    /// By secret and hash.
    private var numbers: [[UInt8]: [[UInt8]: UInt32]] = [:]

    init(in transaction: borrowing some Transaction & ~Copyable, _ tables: LogTables) throws {
        let space = SymbolSpace.erased
        var cursor = try transaction.cursor(in: tables.names)
        var isFound = try cursor.seek([space.rawValue].span.bytes)
        while isFound, cursor.key.load(at: 0, as: UInt8.self) == space.rawValue {
            let number = cursor.key.loadBigEndian(at: 1, as: UInt32.self) ?? 0
            guard let entry = try tables.name(space, number, in: transaction), add(entry) else {
                throw SymbolTable.damage(space, number)
            }
            isFound = try cursor.move(.next)
        }
    }

    /// Takes an entry; answers whether it is one.
    mutating func add(_ entry: [UInt8]) -> Bool {
        guard entry.count > Self.secretSize, (entry.count - Self.secretSize) % Self.rowSize == 0 else { return false }
        let secret = Array(entry[..<Self.secretSize])
        for start in stride(from: Self.secretSize, to: entry.count, by: Self.rowSize) {
            let row = entry[start..<start + Self.rowSize]
            guard let space = SymbolSpace(rawValue: entry[start]) else { return false }
            let number = row[(start + 1)..<(start + 5)].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            subjects.insert(Subject(space: space, number: number))
            numbers[secret, default: [:]][Array(row[(start + 5)...])] = number
        }
        entries.append(entry)
        return true
    }

    /// The number of an id that was erased.
    func number(of name: [UInt8], _ space: SymbolSpace) -> UInt32? {
        for (secret, hashes) in numbers {
            if let number = hashes[Self.hash(name, space, secret)] { return number }
        }
        return nil
    }

    /// An entry without ids, with the secret of those that there are.
    func newEntry() -> [UInt8] {
        entries.last.map { Array($0[..<Self.secretSize]) } ?? (0..<Self.secretSize).map { _ in .random(in: 0...255) }
    }

    /// What an entry holds of an id.
    static func row(_ space: SymbolSpace, _ number: UInt32, _ name: [UInt8], in entry: [UInt8]) -> [UInt8] {
        [space.rawValue] + withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
            + hash(name, space, Array(entry[..<secretSize]))
    }

    private static func hash(_ name: [UInt8], _ space: SymbolSpace, _ secret: [UInt8]) -> [UInt8] {
        SipHash.hash(SymbolTable.key(space, name), key: secret)
    }
}

extension SymbolTable {
    /// The number of an erased id; nil where there is none.
    func erasedNumber<Value: Symbol>(of value: Value) throws -> UInt32? {
        // The lock is held, so that what is read before an erasure is not kept after it.
        try erased.withLock { erased throws in
            if let erased, erased.subjects.isEmpty { return nil }
            let ids = try erased ?? read { try ErasedIDs(in: $0, $1) }
            // Another process may erase more.
            if storage.tables.environment.configuration.access != .readOnly { erased = ids }
            return ids.number(of: value.symbolBytes, Value.space)
        }
    }

    /// Reads anew what was erased, and drops the strings that are cached.
    func forgetErased() {
        erased.withLock { $0 = nil }
        compared.withLock { $0 = [] }
        cache.withLock { $0.drop() }
    }
}

extension LogTables {
    /// The string of a number; nil where there is none.
    func name(
        _ space: SymbolSpace, _ number: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [UInt8]? {
        guard let stored = try transaction.value(for: SymbolTable.key(space, number).span.bytes, in: names) else {
            return nil
        }
        guard let checksum = stored.load(at: 0, as: UInt64.self) else { throw SymbolTable.damage(space, number) }
        let name = stored.extracting(8..<stored.byteCount)
        guard checksum == SymbolTable.checksum(space, number, name) else { throw SymbolTable.damage(space, number) }
        return name.copied
    }

    func replace(
        _ name: [UInt8], by symbol: PendingSymbols.Entry, in transaction: borrowing WriteTransaction
    ) throws {
        try transaction.remove(SymbolTable.key(symbol.space, name).span.bytes, in: numbers)
        try write(symbol, in: transaction)
    }

    /// Adds an entry of erased ids.
    func add(_ entry: [UInt8], in transaction: borrowing WriteTransaction) throws {
        let number = try SymbolTable.nextCommittedNumber(.erased, in: transaction, self)
        try writeName(.init(space: .erased, number: number, bytes: entry), in: transaction)
    }

    /// Puts placeholders in a copy of a log in the place of ids that were erased since it began.
    func copyErasedIDs(from snapshot: borrowing LogSnapshot, in transaction: borrowing WriteTransaction) throws {
        for subject in try ErasedIDs(in: snapshot.transaction, snapshot.tables).subjects {
            let (space, number) = (subject.space, subject.number)
            guard let name = try snapshot.tables.name(space, number, in: snapshot.transaction),
                let old = try self.name(space, number, in: transaction), old != name
            else { continue }
            try replace(old, by: .init(space: space, number: number, bytes: name), in: transaction)
        }
    }
}
