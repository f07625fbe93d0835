/// A value that the log interns.
protocol Symbol: Equatable, Sendable {
    static var space: SymbolSpace { get }
    /// The part of the cache that holds values of this kind.
    static func withCache<Result>(
        _ cache: inout SymbolTable.Cache, _ body: (inout SymbolCache<Self>) -> Result
    ) -> Result
    var symbolBytes: [UInt8] { get }
    /// A hash, seeded anew in each process: names are chosen by others, who could otherwise choose them so that looking
    /// them up takes long.
    var symbolHash: UInt64 { get }
    init?(symbolBytes: [UInt8])
}

private let symbolSeed = UInt64.random(in: .min ... .max)

/// Numbers and values of one kind of symbol, both ways.
struct SymbolCache<Value: Symbol>: Sendable {
    private struct HashedValue: SpreadKey, Sendable {
        let spread: UInt64
        let value: Value
        /// Next to the value, so that the answer is where the comparison was.
        var number: UInt32 = 0

        static func == (first: HashedValue, second: HashedValue) -> Bool {
            first.spread == second.spread && first.value == second.value
        }
    }

    private struct Number: SpreadKey, Sendable {
        let rawValue: UInt32
        /// Numbers are dense; the multiplier is the golden ratio's (Knuth 1973, "Sorting and Searching", 6.4).
        var spread: UInt64 { UInt64(rawValue) &* 0x9E37_79B9_7F4A_7C15 }
    }

    private struct Generation: Sendable {
        /// A value and its number have the same place in both.
        var values = KeyTable<HashedValue>()
        var numbers = KeyTable<Number>()

        func place(of value: Value, _ hash: UInt64) -> Int? {
            values.number(spread: hash) { $0.value == value }
        }
    }

    private var young = Generation()
    /// Symbols that were not used since the last time that there were too many; dropped the next time.
    private var old: Generation?
    /// Symbols that wait for their commit: they are nowhere else.
    private var staged: [UInt32: Value] = [:]
    /// The greatest number of a waiting symbol; 0 if there is none.
    private(set) var lastStaged: UInt32 = 0
    /// Whether the log has no others.
    var isComplete = false
    /// How many times values were dropped.
    private(set) var drops = 0
    /// How many symbols there are, without those that were not used for long.
    var count: Int { young.values.keys.count }

    mutating func number(of value: Value, hash: UInt64) -> UInt32? {
        if let place = young.place(of: value, hash) { return young.values.keys[place].number }
        return old?.place(of: value, hash).flatMap { use($0)?.number }
    }

    mutating func value(of number: UInt32) -> Value? {
        let key = Number(rawValue: number)
        if let place = young.numbers.number(of: key) { return young.values.keys[place].value }
        return old?.numbers.number(of: key).flatMap { use($0)?.value }
    }

    /// The same, without a note that it was used.
    func known(_ number: UInt32) -> Value? {
        let key = Number(rawValue: number)
        if let place = young.numbers.number(of: key) { return young.values.keys[place].value }
        return old?.numbers.number(of: key).flatMap { old?.values.keys[$0].value }
    }

    /// Keeps a symbol that was not used for long.
    private mutating func use(_ place: Int) -> HashedValue? {
        guard let found = old?.values.keys[place] else { return nil }
        if young.values.keys.count < SymbolTable.cacheLimit {
            insert(found.value, hash: found.spread, number: found.number)
        }
        return found
    }

    /// Adds a symbol. If there are too many, it first drops symbols that were not used for long.
    ///
    /// - Returns: Whether the value is known by this number now.
    mutating func remember(_ value: Value, hash: UInt64, number: UInt32) -> Bool {
        if let known = self.number(of: value, hash: hash) { return known == number }
        if young.values.keys.count >= max(SymbolTable.cacheLimit / 2, 2 * staged.count) { age() }
        return insert(value, hash: hash, number: number)
    }

    /// Adds a symbol; nothing is dropped for it.
    ///
    /// - Returns: Whether neither the value nor the number was there.
    @discardableResult
    mutating func insert(_ value: Value, hash: UInt64, number: UInt32) -> Bool {
        let value = HashedValue(spread: hash, value: value, number: number)
        let number = Number(rawValue: number)
        guard young.values.number(of: value) == nil, young.numbers.number(of: number) == nil else { return false }
        _ = young.values.insert(value)
        _ = young.numbers.insert(number)
        return true
    }

    /// Drops symbols that were not used since the last time, but for waiting ones.
    private mutating func age() {
        if old != nil {
            isComplete = false
            drops += 1
        }
        (old, young) = (young, Generation())
        for (number, value) in staged { insert(value, hash: value.symbolHash, number: number) }
    }

    /// Keeps a symbol until it is committed or taken back.
    mutating func stage(_ symbol: PendingSymbols.Entry) {
        guard let value = Value(symbolBytes: symbol.bytes) else { return }
        _ = remember(value, hash: value.symbolHash, number: symbol.number)
        staged[symbol.number] = value
        lastStaged = max(lastStaged, symbol.number)
    }

    /// Notes that a symbol waits no more.
    ///
    /// - Parameter isCommitted: Whether it is in the log. Otherwise its number may be another one's by now.
    mutating func unstage(_ symbol: PendingSymbols.Entry, isCommitted: Bool) {
        guard isCommitted || staged[symbol.number]?.symbolBytes == symbol.bytes else { return }
        staged[symbol.number] = nil
        if staged.isEmpty { lastStaged = 0 } else if symbol.number == lastStaged { lastStaged -= 1 }
    }

    /// Whether a number is another waiting symbol's.
    func isStaged(_ number: UInt32, forOtherThan bytes: [UInt8]) -> Bool {
        staged[number].map { $0.symbolBytes != bytes } ?? false
    }

    /// Drops all symbols but waiting ones.
    mutating func drop() {
        (young, old, isComplete) = (Generation(), nil, false)
        drops += 1
        for (number, value) in staged { insert(value, hash: value.symbolHash, number: number) }
    }
}

extension SymbolTable {
    /// The cache of each kind of symbol.
    struct Cache: Sendable {
        var conversations = SymbolCache<ConversationKey>()
        var users = SymbolCache<UserID>()
        var contentTypes = SymbolCache<ContentType>()

        mutating func number<Value: Symbol>(of value: Value, hash: UInt64) -> UInt32? {
            Value.withCache(&self) { $0.number(of: value, hash: hash) }
        }

        mutating func insert<Value: Symbol>(_ value: Value, hash: UInt64, number: UInt32) {
            _ = Value.withCache(&self) { $0.insert(value, hash: hash, number: number) }
        }

        mutating func stage(_ symbol: PendingSymbols.Entry) {
            switch symbol.space {
            case .conversation: conversations.stage(symbol)
            case .user: users.stage(symbol)
            case .contentType: contentTypes.stage(symbol)
            default: break
            }
        }

        mutating func unstage(_ symbol: PendingSymbols.Entry, isCommitted: Bool) {
            switch symbol.space {
            case .conversation: conversations.unstage(symbol, isCommitted: isCommitted)
            case .user: users.unstage(symbol, isCommitted: isCommitted)
            case .contentType: contentTypes.unstage(symbol, isCommitted: isCommitted)
            default: break
            }
        }

        /// Drops all symbols but waiting ones.
        mutating func drop() {
            conversations.drop()
            users.drop()
            contentTypes.drop()
        }

        /// How many there are, and how many times some were dropped.
        var size: (count: Int, drops: Int) {
            (
                conversations.count + users.count + contentTypes.count,
                conversations.drops + users.drops + contentTypes.drops
            )
        }

        /// The greatest number of a waiting symbol; 0 if there is none.
        func lastStaged(_ space: SymbolSpace) -> UInt32 {
            switch space {
            case .conversation: conversations.lastStaged
            case .user: users.lastStaged
            case .contentType: contentTypes.lastStaged
            default: 0
            }
        }
    }
}

extension SymbolTable {
    /// Symbols that batches asked for: the next batch finds most of its own here, without a lock and in little memory.
    struct RecentSymbols {
        private(set) var symbols = Cache()
        /// How many times the table had dropped values when the symbols began to be kept: an erased one is no symbol any
        /// more.
        let drops: Int

        /// So many are kept, some 200 KB; then the next batch begins without any.
        static var limit: Int { 2048 }
        var isFull: Bool { symbols.size.count >= Self.limit }

        mutating func insert<Value: Symbol>(_ value: Value, _ hash: UInt64, _ number: UInt32) {
            if !isFull { symbols.insert(value, hash: hash, number: number) }
        }

        mutating func number<Value: Symbol>(of value: Value, _ hash: UInt64) -> UInt32? {
            symbols.number(of: value, hash: hash)
        }
    }
}

extension ConversationKey: Symbol {
    static var space: SymbolSpace { .conversation }
    static func withCache<Result>(
        _ cache: inout SymbolTable.Cache, _ body: (inout SymbolCache<ConversationKey>) -> Result
    ) -> Result { body(&cache.conversations) }
    var symbolHash: UInt64 {
        let hash = XXH64.hash(id, seed: symbolSeed ^ UInt64(kind.rawValue))
        return channel.map { XXH64.hash($0, seed: hash) } ?? hash
    }
}

extension Symbol where Self: StringIdentifier {
    var symbolBytes: [UInt8] { Array(rawValue.utf8) }
    var symbolHash: UInt64 { XXH64.hash(rawValue, seed: symbolSeed) }
    init?(symbolBytes: [UInt8]) { self.init(rawValue: String(decoding: symbolBytes, as: UTF8.self)) }
}

extension UserID: Symbol {
    static var space: SymbolSpace { .user }
    static func withCache<Result>(
        _ cache: inout SymbolTable.Cache, _ body: (inout SymbolCache<UserID>) -> Result
    ) -> Result { body(&cache.users) }
}

extension ContentType: Symbol {
    static var space: SymbolSpace { .contentType }
    static func withCache<Result>(
        _ cache: inout SymbolTable.Cache, _ body: (inout SymbolCache<ContentType>) -> Result
    ) -> Result { body(&cache.contentTypes) }
}

/// The symbols that a batch needs and the log does not have yet.
struct PendingSymbols {
    struct Entry {
        let space: SymbolSpace
        let number: UInt32
        let bytes: [UInt8]
    }

    private let table: SymbolTable
    /// Symbols of the log that this batch and those before asked for.
    private var recent: SymbolTable.RecentSymbols
    private(set) var entries: [Entry] = []
    /// The same by value; nil if there are none.
    private var pending: SymbolTable.Cache?
    private var next: [SymbolSpace: UInt32] = [:]
    /// The last answers: runs of messages in one conversation, by one sender and of one type are the rule. The number
    /// is 0 if there is none.
    private var lastConversation = (value: ConversationKey.group(""), number: UInt32(0))
    private var lastUser = (value: UserID(""), number: UInt32(0))
    private var lastContentType = (value: ContentType(""), number: UInt32(0))

    init(table: SymbolTable) {
        self.table = table
        recent = table.takeRecent()
    }

    /// Leaves the symbols that were asked for to the next batch.
    func leaveRecent() { table.keep(recent) }

    mutating func number(of conversation: ConversationKey) throws -> UInt32 {
        if lastConversation.number == 0 || lastConversation.value != conversation {
            lastConversation = (conversation, try assign(conversation))
        }
        return lastConversation.number
    }

    mutating func number(of user: UserID) throws -> UInt32 {
        if lastUser.number == 0 || lastUser.value != user { lastUser = (user, try assign(user)) }
        return lastUser.number
    }

    mutating func number(of contentType: ContentType) throws -> UInt32 {
        if lastContentType.number == 0 || lastContentType.value != contentType {
            lastContentType = (contentType, try assign(contentType))
        }
        return lastContentType.number
    }

    /// The content type of a number that is pending or in the log.
    func contentType(_ number: UInt32) throws -> ContentType {
        try pending?.contentTypes.known(number) ?? table.contentType(number)
    }

    /// Forgets the symbols after the first `count`: the ones of an event that turned out to be known. A log's symbols
    /// must not depend on where its batches ended.
    mutating func rollBack(to count: Int) {
        guard entries.count > count else { return }
        while entries.count > count, let entry = entries.popLast() { next[entry.space] = entry.number }
        // Their numbers are free again, and others may get them.
        pending = entries.isEmpty ? nil : SymbolTable.Cache()
        for entry in entries { pending?.stage(entry) }
        (lastConversation.number, lastUser.number, lastContentType.number) = (0, 0, 0)
    }

    private mutating func assign<Value: Symbol>(_ value: Value) throws -> UInt32 {
        let hash = value.symbolHash
        if let number = recent.number(of: value, hash) { return number }
        if let number = pending?.number(of: value, hash: hash) { return number }
        if let number = table.cachedForGood(value, hash) {
            recent.insert(value, hash, number)
            return number
        }
        if let number = try table.find(value, hash) { return number }
        let number = try next[Value.space] ?? table.nextNumber(Value.space)
        next[Value.space] = number + 1
        entries.append(Entry(space: Value.space, number: number, bytes: value.symbolBytes))
        if pending == nil { pending = SymbolTable.Cache() }
        pending?.insert(value, hash: hash, number: number)
        return number
    }
}
