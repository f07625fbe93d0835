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
            try check(row)
            for event in new { try event.validate() }
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

    private func check(_ row: OldRow) throws {
        let times: [Timestamp?]
        switch row {
        case .conversation(let row): times = [row.activity, row.readUpTo?.time, row.draftTime]
        case .message(let row):
            times = [row.time, row.editedTime]
            let bytes = [row.content.text?.utf8.count ?? 0, row.content.data.count, row.content.attributes.count]
            // Room for the other fields of the event.
            guard bytes.reduce(0, +) <= EventLimits.eventBytes - 65_536 else {
                throw StoreError(.invalidArgument, "its content takes \(bytes.reduce(0, +)) bytes")
            }
        }
        for time in times.compactMap({ $0 }) where time.looksLikeSeconds {
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
            if !positions.contains(position) {
                positions.insert(position)
                moved[message.conversation]?.count(message, at: position, for: store.account)
            } else if try !isSame(message, at: position) {
                moved[message.conversation]?.conflicts += 1
            }
            guard message.status == .failed, events[index].payload is MessageSendQueued else { continue }
            let failed = MessageSendFailed(message: LocalMessageID(position.rawValue), code: 0)
            failures.append(Event(failed, in: message.conversation, id: .migrated("failed", position)))
        }
        (events, messages) = ([], [])
        if !failures.isEmpty { _ = try record(failures) }
    }

    /// Whether a row says what an earlier row with the same id said, as far as the store shows it.
    private func isSame(_ row: OldMessage, at position: Position) throws -> Bool {
        guard let known = try store.read({ try $0.message(LocalMessageID(position.rawValue)) }) else { return true }
        return known.sender == row.sender && (known.isTimeProvisional || known.time == row.time)
            && (known.isRecalled || known.isModified || known.content == row.content)
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
