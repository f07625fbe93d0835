internal import MessageStoreLMDB

/// The strings that records hold as numbers: conversations, users, content types.
///
/// A symbol is written once, in the commit of the first record that needs it, and never changes, unless it is erased.
/// Both directions are tables of the log. The cache in front of them also holds symbols that wait for their commit; of
/// the others of a kind, long unused ones are dropped when it grows to about ``cacheLimit`` entries.
///
/// If symbols that waited are taken back, the log goes on with another table, and may give their numbers to others
/// there; so does a log that follows a journal, if frames are gone. A holder of this table finds them both ways as
/// before: a read sees one moment (I7).
package final class SymbolTable: Sendable {
    static let cacheLimit = 1 << 17

    let storage: LogStorage
    let cache: Locked<Cache>
    /// Symbols that batches asked for; nil if there are none, or a batch has them.
    let recent = Locked<RecentSymbols?>(nil)
    /// The kinds whose two tables were found to agree since the log was opened.
    let compared: Locked<Set<SymbolSpace>>
    /// The log's erased ids; nil until they are asked for.
    let erased = Locked<ErasedIDs?>(nil)
    /// The types of events that the log was opened with; here because everything that reads records has the symbols.
    package let types: EventTypes
    /// The least number that a new symbol may get.
    private let firstNumber: UInt32
    /// The log whose staged symbols are this table's as well; it may go on with another table meanwhile.
    let underlying: EventLog?

    init(_ storage: LogStorage, types: EventTypes) {
        (firstNumber, underlying) = (1, nil)
        cache = Locked(Cache())
        compared = Locked([])
        self.storage = storage
        self.types = types
    }

    /// The symbols of a log, and others that are never written, with numbers from `firstNumber` on.
    init(over log: EventLog, firstNumber: UInt32) {
        let table = log.symbols
        (storage, types) = (table.storage, table.types)
        (self.firstNumber, underlying) = (firstNumber, log)
        cache = Locked(Cache())
        compared = Locked([])
    }

    /// The symbols of another table but for some that waited and were taken back.
    init(_ other: SymbolTable, without symbols: [PendingSymbols.Entry]) {
        (storage, types) = (other.storage, other.types)
        (firstNumber, underlying) = (other.firstNumber, other.underlying)
        cache = Locked(other.cache.withLock { $0 })
        compared = Locked(other.compared.withLock { $0 })
        unstage(symbols, areCommitted: false)
    }

    /// The number of a symbol, or nil if the log has never used it.
    package func existingNumber(of conversation: ConversationKey) throws -> UInt32? { try find(conversation) }
    /// The number of a symbol, or nil if the log has never used it.
    package func existingNumber(of type: ContentType) throws -> UInt32? { try find(type) }
    /// The number of a symbol, or nil if the log has never used it.
    package func existingNumber(of user: UserID) throws -> UInt32? { try find(user) }

    func find<Value: Symbol>(_ value: Value) throws -> UInt32? { try find(value, value.symbolHash) }

    /// The number of a symbol, by its hash as well.
    func find<Value: Symbol>(_ value: Value, _ hash: UInt64) throws -> UInt32? {
        let (cached, isComplete, drops) = withCache(of: Value.self) { cache in
            (cache.number(of: value, hash: hash), cache.isComplete, cache.drops)
        }
        if let cached { return cached }
        if isComplete { return try erasedNumber(of: value) }
        if let number = underlying?.symbols.cached(value, hash) { return number }
        let name = value.symbolBytes
        let found: UInt32? = try read { transaction, tables in
            let key = tables.numberKey(Value.space, name)
            guard let stored = try transaction.value(for: key.span.bytes, in: tables.numbers) else { return nil }
            let number = stored.load(at: 0, as: UInt32.self) ?? 0
            // The number has no checksum of its own: its name proves it (I10).
            guard try storedName(Value.space, number, in: transaction, tables) == name else {
                throw Self.damage(Value.space, number)
            }
            return number
        }
        if let found {
            // The log gave it to this name after the one that has it here was taken back.
            if withCache(of: Value.self, { $0.isStaged(found, forOtherThan: name) }) { return nil }
            // Two conversations that no event can have may have the same bytes as one that is in the log.
            if Value(symbolBytes: name) == value { remember(value, hash, found, since: drops) }
            return found
        }
        // The numbers have no checksum: a name that is not found is new only if none was lost.
        try compareOnce(Value.self)
        return try erasedNumber(of: value)
    }

    func resolve<Value: Symbol>(_ number: UInt32) throws -> Value {
        if let known: Value = cached(number) { return known }
        let drops = withCache(of: Value.self) { $0.drops }
        let bytes = try read { transaction, tables in try tables.name(Value.space, number, in: transaction) }
        guard let bytes else {
            // Numbers are dense: if none was lost, the log never gave this one.
            try compareOnce(Value.self)
            throw StoreError(
                .viewsDamaged,
                "a row names \(number), which no symbol of the kind \(Value.space) has; rebuild the views")
        }
        guard let value = Value(symbolBytes: bytes) else { throw Self.damage(Value.space, number) }
        remember(value, value.symbolHash, number, since: drops)
        return value
    }

    private func cached<Value: Symbol>(_ value: Value, _ hash: UInt64) -> UInt32? {
        withCache(of: Value.self) { $0.number(of: value, hash: hash) } ?? underlying?.symbols.cached(value, hash)
    }

    private func cached<Value: Symbol>(_ number: UInt32) -> Value? {
        withCache(of: Value.self) { $0.value(of: number) } ?? underlying?.symbols.cached(number)
    }

    /// Answers whether the value is known by this number now.
    ///
    /// - Parameter drops: How often values had been dropped when it was looked up: it may be erased since.
    @discardableResult
    func remember<Value: Symbol>(_ value: Value, _ hash: UInt64, _ number: UInt32, since drops: Int) -> Bool {
        withCache(of: Value.self) { $0.drops == drops && $0.remember(value, hash: hash, number: number) }
    }

    /// Takes the symbols that are kept, for one batch.
    func takeRecent() -> RecentSymbols {
        let drops = cache.withLock { $0.size.drops }
        let kept = recent.withLock { recent in
            defer { recent = nil }
            return recent
        }
        guard let kept, kept.drops == drops else { return RecentSymbols(drops: drops) }
        return kept
    }

    /// Keeps the symbols of a batch that ends.
    func keep(_ symbols: consuming RecentSymbols) {
        guard !symbols.isFull, symbols.drops == cache.withLock({ $0.size.drops }) else { return }
        recent.withLock { [symbols] in $0 = symbols }
    }

    /// The number of a symbol that is cached here, and that stays its number until the cache drops values. An underlying
    /// log may take the number of its symbol back.
    func cachedForGood<Value: Symbol>(_ value: Value, _ hash: UInt64) -> UInt32? {
        underlying == nil ? withCache(of: Value.self) { $0.number(of: value, hash: hash) } : nil
    }

    func withCache<Value: Symbol, Result>(
        of kind: Value.Type, _ body: (inout SymbolCache<Value>) -> Result
    ) -> Result {
        cache.withLock { Value.withCache(&$0, body) }
    }

    /// Runs `body` in a read of the log's environment.
    func read<Result>(_ body: (borrowing ReadTransaction, LogTables) throws -> Result) throws -> Result {
        let tables = storage.tables
        return try tables.environment.read { try body($0, tables) }
    }

    func storedName(
        _ space: SymbolSpace, _ number: UInt32, in transaction: borrowing ReadTransaction, _ tables: LogTables
    ) throws -> [UInt8] {
        guard let name = try tables.name(space, number, in: transaction) else { throw Self.damage(space, number) }
        return name
    }

    /// The first number of a kind that is free.
    func nextNumber(_ space: SymbolSpace) throws -> UInt32 {
        // A follower's journal may hold older ones than the log.
        let staged = cache.withLock { $0.lastStaged(space) }
        return max(firstNumber, staged + 1, try read { try Self.nextCommittedNumber(space, in: $0, $1) })
    }

    /// By the table's last key.
    static func nextCommittedNumber(
        _ space: SymbolSpace, in transaction: borrowing some Transaction & ~Copyable, _ tables: LogTables
    ) throws -> UInt32 {
        var cursor = try transaction.cursor(in: tables.names)
        let end = Self.key(space, UInt32.max)
        let isFound = try cursor.seek(end.span.bytes) ? try cursor.move(.previous) : try cursor.move(.last)
        guard isFound, cursor.key.load(at: 0, as: UInt8.self) == space.rawValue,
            let last = cursor.key.loadBigEndian(at: 1, as: UInt32.self)
        else { return 1 }
        guard last < .max else { throw Self.damage(space, last) }
        return last + 1
    }

    /// Makes symbols known that wait for their commit.
    func stage(_ symbols: [PendingSymbols.Entry]) {
        guard !symbols.isEmpty else { return }
        cache.withLock { cache in
            for symbol in symbols { cache.stage(symbol) }
        }
    }

    /// Notes that symbols wait no more: they are in the log, or their numbers may be given to others.
    func unstage(_ symbols: [PendingSymbols.Entry], areCommitted: Bool) {
        guard !symbols.isEmpty else { return }
        cache.withLock { cache in
            for symbol in symbols.reversed() { cache.unstage(symbol, isCommitted: areCommitted) }
            // The cached numbers are no longer valid.
            if !areCommitted { cache.drop() }
        }
    }

    /// Makes `account` the first user of a new log, so that folds know it by the number 1, and notes the store's id.
    package func enter(account: UserID, storeID: [UInt8]? = nil) throws {
        let store = storeID.map { PendingSymbols.Entry(space: .store, number: 1, bytes: $0) }
        try storage.tables.write(
            [.init(space: .user, number: 1, bytes: account.symbolBytes)] + (store.map { [$0] } ?? []))
    }

    static func key(_ space: SymbolSpace, _ number: UInt32) -> [UInt8] {
        [space.rawValue] + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    static func checksum(_ space: SymbolSpace, _ number: UInt32, _ bytes: RawSpan) -> UInt64 {
        XXH64.hash(bytes, seed: UInt64(space.rawValue) << 32 | UInt64(number))
    }

    static func damage(_ space: SymbolSpace, _ number: UInt32) -> StoreError {
        StoreError(.logDamaged, "symbol \(number) of the kind \(space) is missing or damaged")
    }
}

extension SymbolTable {
    /// Every conversation, by number, the log's before its replacements'; costs a look-up for each.
    package func allConversations() throws -> [ConversationKey] {
        let own = try (firstNumber..<nextNumber(.conversation)).map { try conversation($0) }
        return try (underlying?.symbols.allConversations() ?? []) + own
    }

    /// The conversation of a number.
    package func conversation(_ number: UInt32) throws -> ConversationKey { try resolve(number) }
    /// The user of a number.
    package func user(_ number: UInt32) throws -> UserID { try resolve(number) }
    /// The content type of a number.
    package func contentType(_ number: UInt32) throws -> ContentType { try resolve(number) }
}

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
        var isAll = storage.tables.environment.configuration.access != .readOnly && underlying == nil
        let drops = withCache(of: kind) { $0.drops }
        try read { transaction, tables in
            _ = try tables.compareNames(of: Value.space, in: transaction) { number, name in
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
            let count = try SymbolSpace.ofRecords.reduce(0) { try $0 + tables.compareNames(of: $1, in: transaction) }
            _ = try ErasedIDs(in: transaction, tables)
            let all = try SymbolSpace.allCases.filter { !$0.isOfRecords }.reduce(count) {
                try $0 + tables.names(of: $1, in: transaction).count
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
                    guard space.isOfRecords, symbol.number > 0 else { return index }
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
                    let key = tables.numberKey(space, symbol.bytes)
                    guard symbol.number == free, free < .max, new.insert(key).inserted,
                        try transaction.value(for: key.span.bytes, in: tables.numbers) == nil
                    else { return index }
                    next[space] = free + 1
                }
            }
            return nil
        }
    }
}
