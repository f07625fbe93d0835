internal import MessageStoreLMDB

/// The symbols that a batch needs and the log does not have yet.
struct PendingSymbols: SymbolAssigner {
    struct Entry {
        let space: SymbolSpace
        let number: UInt32
        let bytes: [UInt8]
    }

    private let table: SymbolTable
    private(set) var entries: [Entry] = []
    private var pending = SymbolTable.Cache()
    private var next: [SymbolSpace: UInt32] = [:]

    init(table: SymbolTable) {
        self.table = table
    }

    mutating func number(of conversation: ConversationKey) throws -> UInt32 { try assign(conversation) }
    mutating func number(of user: UserID) throws -> UInt32 { try assign(user) }
    mutating func number(of contentType: ContentType) throws -> UInt32 { try assign(contentType) }

    /// Forgets the symbols after the first `count`: those of an event that turned out to be known. Which symbols a log
    /// has must not depend on where its batches ended.
    ///
    /// What is left of them in the cache has a number that is free again, or the value of another.
    mutating func rollBack(to count: Int) {
        while entries.count > count, let entry = entries.popLast() { next[entry.space] = entry.number }
    }

    private mutating func assign<Value: Symbol>(_ value: Value) throws -> UInt32 {
        let hash = value.symbolHash
        if !entries.isEmpty, let number = Value.withCache(&pending, { $0.number(of: value, hash: hash) }),
            let free = next[Value.space], number < free
        {
            return number
        }
        if let number = try table.find(value) { return number }
        // A hash shared by two new values hides the second from the cache: look through the entries as well.
        let bytes = value.symbolBytes
        if let known = entries.first(where: { $0.space == Value.space && $0.bytes == bytes }) { return known.number }
        let number = try next[Value.space] ?? table.environment.read { try table.nextNumber(Value.space, in: $0) }
        next[Value.space] = number + 1
        entries.append(Entry(space: Value.space, number: number, bytes: bytes))
        Value.withCache(&pending) { $0.insert(value, hash: hash, number: number) }
        return number
    }
}
