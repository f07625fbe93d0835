/// Turns the rows of another store into events, and records them package by package.
struct Migrator {
    let store: MessageStore
    let skipsInvalid: Bool
    let packageSize: Int
    var report = MigrationReport()
    /// The events that are not recorded yet, and which of them are messages.
    private var events: [Event] = []
    private var messages: [(index: Int, message: OldMessage)] = []
    private var moved: [ConversationKey: MovedConversation] = [:]
    /// In the order in which they came.
    private var keys: [ConversationKey] = []
    private var positions = PositionSet()

    init(_ store: MessageStore, skipsInvalid: Bool, packageSize: Int) {
        (self.store, self.skipsInvalid, self.packageSize) = (store, skipsInvalid, max(1, packageSize))
    }

    /// Takes a row; true if a package was recorded.
    mutating func add(_ row: OldRow) throws -> Bool {
        let key = row.conversation
        var conversation = try moved[key] ?? MovedConversation(key, store)
        let new: [Event]
        do {
            new = try conversation.events(of: row, for: store.account)
            for event in new { try check(event) }
        } catch let error as StoreError where error.code == .invalidArgument || error.code == .invalidTime {
            let error = StoreError(error.code, "row \(report.rows), of \(key): \(error.message)")
            guard skipsInvalid else { throw error }
            report.rows += 1
            report.skippedRows += 1
            if report.problems.count < MigrationReport.maximumProblems { report.problems.append(error) }
            return false
        }
        report.rows += 1
        if moved.updateValue(conversation, forKey: key) == nil { keys.append(key) }
        if case .message(let message) = row, !message.isDeleted,
            let index = new.firstIndex(where: { $0.payload.isMessage })
        {
            messages.append((events.count + index, message))
        }
        events += new
        guard events.count >= packageSize else { return false }
        try record()
        return true
    }

    private func check(_ event: Event) throws {
        try event.validate()
        let time = (event.payload as? MessageReceived)?.sentTime ?? .unknown
        if time.looksLikeSeconds {
            throw StoreError(.invalidTime, "a time of \(time.milliseconds) ms looks like seconds")
        }
    }

    /// Records what waits, and that messages failed, which needs their ids.
    mutating func record() throws {
        guard !events.isEmpty else { return }
        let result = try record(events)
        var failures: [Event] = []
        for (index, message) in messages {
            guard let position = result.positions[index] else { continue }
            let isFirst = positions.insert(position)
            moved[message.conversation]?.count(message, at: position, isFirst: isFirst, for: store.account)
            guard message.status == .failed, events[index].payload is MessageSendQueued else { continue }
            let failed = MessageSendFailed(message: LocalMessageID(position.rawValue), code: 0)
            failures.append(Event(failed, in: message.conversation, id: .migrated("failed", position)))
        }
        (events, messages) = ([], [])
        if !failures.isEmpty { _ = try record(failures) }
    }

    private mutating func record(_ events: [Event]) throws -> RecordResult {
        let result = try store.record(events)
        report.events += events.count - result.known.count
        return result
    }

    /// Records up to where the conversations are read, once all their messages are there, and compares them with the store.
    mutating func finish() throws -> MigrationReport {
        try record()
        for key in keys {
            guard var conversation = moved[key] else { continue }
            let positions = positions
            try store.read { views in try conversation.findPlace(views, positions) }
            moved[key] = conversation
            events += conversation.closingEvents
            if events.count >= packageSize { try record() }
        }
        try record()
        for key in keys {
            guard let conversation = moved[key] else { continue }
            let positions = positions
            report.conversations.append(try store.read { try conversation.compared(with: $0, positions) })
        }
        return report
    }
}

/// Positions of the log, a bit each.
struct PositionSet {
    private var words: [UInt64] = []

    /// Adds a position; false if it was there.
    mutating func insert(_ position: Position) -> Bool {
        let (word, bit) = (Int(clamping: position.rawValue / 64), UInt64(1) << (position.rawValue % 64))
        if word >= words.count { words += Array(repeating: 0, count: word + 1 - words.count) }
        defer { words[word] |= bit }
        return words[word] & bit == 0
    }

    func contains(_ message: LocalMessageID) -> Bool {
        let word = Int(clamping: message.rawValue / 64)
        return word < words.count && words[word] & (1 << (message.rawValue % 64)) != 0
    }
}

extension EventPayload {
    fileprivate var isMessage: Bool {
        self is MessageReceived || self is MessageSendQueued || self is MessageInsertedLocally
    }
}

extension EventID {
    /// The id of an event that says the same whenever the migration runs. It shows no name, since those may be erased.
    static func migrated(_ part: String, _ names: Any...) -> EventID {
        let hash = XXH64.hash(names.map { "\($0)" }.joined(separator: "\u{0}"))
        return EventID("migrated:\(part):\(String(hash, radix: 16))")
    }
}
