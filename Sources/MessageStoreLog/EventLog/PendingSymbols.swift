internal import MessageStoreLMDB

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
    /// The last answers: runs of messages in one conversation, by one sender and of one type are the rule.
    private var lastConversation: (value: ConversationKey, number: UInt32)?
    private var lastUser: (value: UserID, number: UInt32)?
    private var lastContentType: (value: ContentType, number: UInt32)?

    init(table: SymbolTable) {
        self.table = table
    }

    mutating func number(of conversation: ConversationKey) throws -> UInt32 {
        if let last = lastConversation, last.value == conversation { return last.number }
        let number = try assign(conversation)
        lastConversation = (conversation, number)
        return number
    }

    mutating func number(of user: UserID) throws -> UInt32 {
        if let last = lastUser, last.value == user { return last.number }
        let number = try assign(user)
        lastUser = (user, number)
        return number
    }

    mutating func number(of contentType: ContentType) throws -> UInt32 {
        if let last = lastContentType, last.value == contentType { return last.number }
        let number = try assign(contentType)
        lastContentType = (contentType, number)
        return number
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
        (lastConversation, lastUser, lastContentType) = (nil, nil, nil)
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
