/// The symbols that a batch needs and the log does not have yet.
struct PendingSymbols {
    struct Entry {
        let space: SymbolSpace
        let number: UInt32
        let bytes: [UInt8]
    }

    private let table: SymbolTable
    private(set) var entries: [Entry] = []
    /// The same by value; nil where there are none.
    private var pending: SymbolTable.Cache?
    private var next: [SymbolSpace: UInt32] = [:]
    /// The last answers: runs of messages in one conversation, by one sender and of one type are the rule. The number is
    /// 0 where there is none.
    private var lastConversation = (value: ConversationKey.group(""), number: UInt32(0))
    private var lastUser = (value: UserID(""), number: UInt32(0))
    private var lastContentType = (value: ContentType(""), number: UInt32(0))

    init(table: SymbolTable) {
        self.table = table
    }

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

    /// The content type of a number, of those that are pending or in the log.
    func contentType(_ number: UInt32) throws -> ContentType {
        try pending?.contentTypes.known(number) ?? table.contentType(number)
    }

    /// Forgets the symbols after the first `count`: those of an event that turned out to be known. Which symbols a log
    /// has must not depend on where its batches ended.
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
        if let number = pending?.number(of: value, hash: hash) { return number }
        if let number = try table.find(value, hash) { return number }
        let number = try next[Value.space] ?? table.nextNumber(Value.space)
        next[Value.space] = number + 1
        entries.append(Entry(space: Value.space, number: number, bytes: value.symbolBytes))
        if pending == nil { pending = SymbolTable.Cache() }
        pending?.insert(value, hash: hash, number: number)
        return number
    }
}
