internal import MessageStoreLMDB

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
        var highest: [SymbolSpace: UInt32] = [:]
        try snapshot().scan(from: Position(1), to: Position(end.rawValue - 1)) { record in
            record.forEachSymbolNumber { highest[$0] = max(highest[$0] ?? 0, $1) }
            return .proceed
        }
        return subjects.withIDs(users: highest[.user] ?? 0, conversations: highest[.conversation] ?? 0)
    }
}

/// What one commit erases.
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
            let prefix = SymbolTable.key(.conversation, key.symbolBytes)
            for chat in try conversations(prefix, in: transaction) { try erase(chat, text, in: transaction) }
        }
        try erase(.user, user, id, by: Array(text.utf8), in: transaction)
    }

    /// The id of a conversation, but for that of one with a user, whose id is the user's.
    mutating func erase(conversation: UInt32, in transaction: borrowing WriteTransaction) throws {
        guard let name = try name(.conversation, conversation, in: transaction),
            let key = ConversationKey(symbolBytes: name)
        else { return }
        var text = "erased:\(conversation)"
        if key.kind == .single {
            let id = Array(key.id.utf8)
            let user = SymbolTable.key(.user, id)
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
        try tables.add(entry, in: transaction)
    }

    private func conversations(
        _ prefix: [UInt8], in transaction: borrowing WriteTransaction
    ) throws -> [UInt32] {
        var found: [UInt32] = []
        var cursor = try transaction.cursor(in: tables.numbers)
        var isFound = try cursor.seek(prefix.span.bytes)
        while isFound, cursor.key.copied.starts(with: prefix) {
            found.append(cursor.value.load(at: 0, as: UInt32.self) ?? 0)
            isFound = try cursor.move(.next)
        }
        return found
    }

    /// The string of a number; nil where it was erased, or the log has none.
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
        while try transaction.value(for: SymbolTable.key(space, bytes(text)).span.bytes, in: tables.numbers) != nil {
            text += "-"
        }
        return text
    }
}
