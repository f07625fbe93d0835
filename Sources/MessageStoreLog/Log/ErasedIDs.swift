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
        for entry in try tables.names(of: .erased, in: transaction) where !add(entry.bytes) {
            throw SymbolTable.damage(.erased, entry.number)
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

    /// An entry without ids, with the secret of the present ones.
    func newEntry() -> [UInt8] {
        entries.last.map { Array($0[..<Self.secretSize]) } ?? (0..<Self.secretSize).map { _ in .random(in: 0...255) }
    }

    /// An id's row in an entry.
    static func row(_ space: SymbolSpace, _ number: UInt32, _ name: [UInt8], in entry: [UInt8]) -> [UInt8] {
        [space.rawValue] + withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
            + hash(name, space, Array(entry[..<secretSize]))
    }

    private static func hash(_ name: [UInt8], _ space: SymbolSpace, _ secret: [UInt8]) -> [UInt8] {
        SipHash.hash([space.rawValue] + name, key: secret)
    }
}

extension SymbolTable {
    /// The number of an erased id; nil if there is none.
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
        recent.withLock { $0 = nil }
    }
}

extension EventLog {
    /// Puts placeholders in the place of the ids of users and conversations in one commit, and hashes by which the log
    /// knows them. Nothing may be appended meanwhile.
    ///
    /// - Returns: Whether the log had some of the ids.
    @discardableResult
    func eraseIDs(of subjects: ErasedSubjects, now: Timestamp) throws -> Bool {
        guard subjects.hasIDs else { return false }
        var byteCount = 0
        try erasing(now: now) { tables, transaction in
            var erasure = try IDErasure(tables, in: transaction)
            for user in subjects.userIDs.keys.ordered() { try erasure.erase(user: user, in: transaction) }
            for conversation in subjects.conversationIDs.keys.ordered() {
                try erasure.erase(conversation: conversation, in: transaction)
            }
            try erasure.finish(in: transaction)
            byteCount = erasure.byteCount
            return byteCount
        }
        symbols.forgetErased()
        return byteCount > 0
    }

    /// Erases the ids that a ledger names in a new log, whose file never had them afterwards.
    package func eraseIDs(by ledger: ErasureLedger) throws {
        guard let subjects = try ids(of: ledger.values), try eraseIDs(of: subjects, now: .unknown) else { return }
        try compact(cuttingOff: nil, alone: { try $0() }, progress: { _, _ in })
        if try removeRetired() { try noteErasuresDone() }
    }

    /// The users and conversations whose ids are to be erased; the log may have gone another way, and have given numbers
    /// to others since.
    private func ids(of subjects: ErasedSubjects) throws -> ErasedSubjects? {
        guard let end = subjects.endOfIDs else { return nil }
        let highest = try snapshot().highestSymbols(from: Position(1), to: Position(end.rawValue - 1))
        return subjects.withIDs(users: highest[.user] ?? 0, conversations: highest[.conversation] ?? 0)
    }
}

/// The ids that one commit erases.
private struct IDErasure {
    private let known: ErasedIDs
    private let tables: LogTables
    private var entry: [UInt8]
    private(set) var byteCount = 0

    init(_ tables: LogTables, in transaction: borrowing WriteTransaction) throws {
        self.tables = tables
        known = try ErasedIDs(in: transaction, tables)
        entry = known.newEntry()
    }

    /// The id of a user, and of the conversations with the user.
    mutating func erase(user: UInt32, in transaction: borrowing WriteTransaction) throws {
        // The first user is the account.
        guard user > 1, let id = try name(.user, user, in: transaction) else { return }
        let text = try free(.user, "erased:\(user)", in: transaction) { Array($0.utf8) }
        for kind in [ConversationKind.single, .unspecified] {
            let key = ConversationKey(kind, String(decoding: id, as: UTF8.self))
            for chat in try tables.conversations(beginningWith: key.symbolBytes, in: transaction) {
                try erase(chat, text, in: transaction)
            }
        }
        try erase(.user, user, id, by: Array(text.utf8), in: transaction)
    }

    /// The id of a conversation, unless it is with a user: then the id is the user's.
    mutating func erase(conversation: UInt32, in transaction: borrowing WriteTransaction) throws {
        guard let name = try name(.conversation, conversation, in: transaction),
            let key = ConversationKey(symbolBytes: name)
        else { return }
        var text = "erased:\(conversation)"
        if key.kind == .single {
            let id = Array(key.id.utf8)
            let user = tables.numberKey(.user, id)
            guard try transaction.value(for: user.span.bytes, in: tables.numbers) == nil else { return }
            // It may have begun after its user's id was erased.
            if let number = known.number(of: id, .user), let name = try tables.name(.user, number, in: transaction) {
                text = String(decoding: name, as: UTF8.self)
            }
        }
        try erase(conversation, text, in: transaction)
    }

    /// Adds the entry.
    func finish(in transaction: borrowing WriteTransaction) throws {
        guard entry.count > ErasedIDs.secretSize else { return }
        try tables.add(entry, to: .erased, in: transaction)
    }

    /// The string of a number; nil if it was erased, or the log has none.
    private func name(
        _ space: SymbolSpace, _ number: UInt32, in transaction: borrowing WriteTransaction
    ) throws -> [UInt8]? {
        guard let name = try tables.name(space, number, in: transaction) else { return nil }
        let isErased = known.subjects.contains(.init(space: space, number: number))
        return isErased && known.number(of: name, space) == nil ? nil : name
    }

    private mutating func erase(
        _ conversation: UInt32, _ text: String, in transaction: borrowing WriteTransaction
    ) throws {
        guard let name = try name(.conversation, conversation, in: transaction),
            let key = ConversationKey(symbolBytes: name)
        else { return }
        let channel = key.channel.map { _ in "erased:\(conversation)" }
        let placeholder = { ConversationKey(key.kind, $0, channel: channel).symbolBytes }
        let text = try free(.conversation, text, in: transaction, placeholder)
        try erase(.conversation, conversation, name, by: placeholder(text), in: transaction)
    }

    private mutating func erase(
        _ space: SymbolSpace, _ number: UInt32, _ name: [UInt8], by placeholder: [UInt8],
        in transaction: borrowing WriteTransaction
    ) throws {
        if known.number(of: name, space) == nil { entry += ErasedIDs.row(space, number, name, in: entry) }
        byteCount += name.count
        try tables.replace(name, by: .init(space: space, number: number, bytes: placeholder), in: transaction)
    }

    /// An id that nobody goes by.
    private func free(
        _ space: SymbolSpace, _ text: String, in transaction: borrowing WriteTransaction,
        _ bytes: (String) -> [UInt8]
    ) throws -> String {
        var text = text
        while try transaction.value(for: tables.numberKey(space, bytes(text)).span.bytes, in: tables.numbers) != nil {
            text += "-"
        }
        return text
    }
}
