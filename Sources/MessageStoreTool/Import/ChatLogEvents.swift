/// Turns the lines of a chat log into events. `Docs/ChatLog.md` states the rules.
struct ChatLogEvents {
    /// The user that represents the logger, which has no id of its own.
    static let logger = UserID("system")

    /// The events of a line: one, or two for a change of nick.
    static func events(of content: ChatLogLine, line: Int) -> [Event] {
        switch content {
        case .record(let record): events(of: record, line: line)
        case .conversation(let id, let kind, let name):
            [
                Event(
                    ConversationCreated(ConversationFields(name: name)), in: key(id, kind),
                    id: EventID("conversation:\(hash(id))"), origin: .history)
            ]
        case .user(let id, let name):
            [
                Event(
                    ProfilesFetched([Profile(id: UserID(id), name: name)]),
                    id: EventID("user:\(hash(id))"), origin: .history)
            ]
        }
    }

    private static func events(of record: ChatLogRecord, line: Int) -> [Event] {
        switch record.type {
        case "message": [message(record, line, .text, .standard)]
        case "action": [message(record, line, .action, .standard)]
        case "notice": [message(record, line, .notice, .uncounted)]
        case "join": [event(record, line, MembersAdded([sender(record)], kind: .joined))]
        case "leave", "quit":
            [event(record, line, MembersRemoved([sender(record)], kind: .left, reason: record.text))]
        case "kick":
            [
                event(
                    record, line,
                    MembersRemoved(
                        [UserID(record.to ?? "")], kind: .kicked, by: sender(record), reason: record.text))
            ]
        case "nick":
            [
                event(record, line, MembersRemoved([sender(record)], kind: .left), "old"),
                event(record, line, MembersAdded([UserID(record.to ?? "")], kind: .joined), "new"),
            ]
        case "topic":
            [
                event(
                    record, line,
                    ConversationUpdated(
                        ConversationFields(attributes: Array((record.text ?? "").utf8)), by: sender(record)))
            ]
        default: [message(record, line, .tip, .silent)]
        }
    }

    private static func message(
        _ record: ChatLogRecord, _ line: Int, _ type: ContentType, _ policy: MessagePolicy
    ) -> Event {
        let received = MessageReceived(
            serverID: ServerMessageID(identifier(record, line)), sender: sender(record),
            sentTime: record.time ?? .unknown,
            content: MessageContent(type: type, text: record.text ?? ""), policy: policy)
        return Event(received, in: key(record.conv, record.kind), origin: .history)
    }

    private static func event(
        _ record: ChatLogRecord, _ line: Int, _ body: any EventPayload, _ part: String = "record"
    ) -> Event {
        Event(
            any: body, in: key(record.conv, record.kind),
            id: EventID("\(part):\(hash(record.conv)):\(identifier(record, line))"),
            origin: .history,
            serverTime: record.time)
    }

    /// In place of an id of a user or conversation, which may be erased later.
    private static func hash(_ id: String) -> String { XXH64.hash(id).hexadecimal() }

    /// The server's id; else one made of the ordinal, or of the line's number in the file, so that its order is theirs
    /// and the same file gives the same ids again.
    private static func identifier(_ record: ChatLogRecord, _ line: Int) -> String {
        if let id = record.id { return id }
        if let ordinal = record.n { return "n" + NumberFormat.padded(ordinal.value, 12) }
        return "line" + NumberFormat.padded(Int64(line), 12)
    }

    private static func sender(_ record: ChatLogRecord) -> UserID {
        record.from.map { UserID($0) } ?? logger
    }

    private static func key(_ id: String, _ kind: ChatLogRecord.Kind) -> ConversationKey {
        ConversationKey(kind == .single ? .single : .group, id)
    }
}

/// Records chat logs in a store, package by package.
struct ChatLogImporter: FileImporter {
    let store: MessageStore
    let packageSize: Int
    let skipsBadLines: Bool
    let observer: ImportObserver
    let files: [(path: String, reader: ChatLogReader)]

    private(set) var tally: ImportTally
    /// Events of consecutive lines that are not recorded yet, and how many of the lines were records.
    private(set) var package: (events: [Event], records: Int) = ([], 0)

    init(
        store: MessageStore, packageSize: Int, skipsBadLines: Bool, observer: ImportObserver,
        files: [(path: String, reader: ChatLogReader)]
    ) throws {
        (self.store, self.packageSize, self.skipsBadLines) = (store, packageSize, skipsBadLines)
        (self.observer, self.files) = (observer, files)
        tally = try ImportTally(store: store)
    }

    mutating func importFiles() throws {
        for (path, reader) in files { while try importLine(of: reader, path) {} }
    }

    /// Reads a line, and records the package that it fills or the file's end completes; returns false at the end.
    private mutating func importLine(of reader: ChatLogReader, _ path: String) throws -> Bool {
        do {
            guard let (line, content) = try reader.next() else {
                try record(path)
                return false
            }
            let events = ChatLogEvents.events(of: content, line: line)
            do {
                for event in events { try Self.check(event) }
            } catch {
                let detail = (error as? StoreError)?.message ?? "\(error)"
                throw ChatLogError(code: .invalidEvent, file: path, line: line, detail: detail)
            }
            if case .record = content { package.records += 1 }
            package.events += events
            if package.events.count >= packageSize { try record(path) }
        } catch let error as ChatLogError {
            try record(path)
            guard error.isLineError, skipsBadLines else { throw error }
            tally.summary.badLines += 1
            observer.report(error)
        }
        return true
    }

    /// Refuses events that a store does not allow.
    private static func check(_ event: Event) throws {
        try event.validate()
        let time = (event.payload as? MessageReceived)?.sentTime ?? event.serverTime ?? .unknown
        if time.looksLikeSeconds {
            throw StoreError(.invalidTime, "a time of \(time.milliseconds) ms looks like seconds")
        }
    }

    private mutating func record(_ path: String) throws {
        guard !package.events.isEmpty else { return }
        let (events, records) = package
        package = ([], 0)
        let before = try store.lastPosition()
        let result = try store.record(events)
        let older = tally.count(events, result, after: before, records: records, of: path, isMoment: false)
        if let older { observer.report(older) }
        tally.summary.replaced = files.reduce(0) { $0 + $1.reader.replaced }
        observer.progress(tally.summary)
    }
}
