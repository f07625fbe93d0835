internal import MessageStoreLMDB
internal import MessageStoreMatrix

/// Records files of one format in a store.
protocol FileImporter {
    /// The result so far.
    var tally: ImportTally { get }

    /// Records the files to their end, or to the first bad line, before which everything is recorded.
    mutating func importFiles() throws
}

/// The callbacks of an importer.
struct ImportObserver {
    /// Called after each package.
    let progress: (ImportSummary) -> Void
    /// Called with the error of each line that is skipped.
    let report: (any Error) -> Void
}

/// Counts the facts that an importer records.
struct ImportTally {
    var summary = ImportSummary()
    private var conversations: Set<ConversationKey> = []
    private var older: OlderFacts
    private var olderFiles: Set<String> = []

    init(store: MessageStore) throws { older = try OlderFacts(of: store) }

    /// Counts a package of a file, recorded when `before` was the log's last position.
    ///
    /// - Parameter isMoment: Whether the package reports one moment, in any order.
    /// - Returns: The note on the file, once, if names or members in it are older than the store's.
    mutating func count(
        _ package: [Event], _ result: RecordResult, after before: Position, records: Int, of file: String,
        isMoment: Bool
    ) -> ChatLogError? {
        summary.records += records
        summary.duplicates += result.duplicates
        summary.events += Int(result.lastPosition.rawValue - before.rawValue)
        var new: [(event: Event, position: Position)] = []
        for (event, position) in zip(package, result.positions) {
            if let key = event.conversation { conversations.insert(key) }
            if let position, position > before { new.append((event, position)) }
        }
        summary.messages += Set(new.filter { $0.event.payload is MessageReceived }.map(\.position)).count
        summary.conversations = conversations.count
        let count = older.count(new, isMoment: isMoment)
        summary.older += count
        guard count > 0, olderFiles.insert(file).inserted else { return nil }
        return ChatLogError(code: .olderFile, file: file, line: nil, detail: "")
    }
}

/// The result of an import, also of one that stopped early.
struct ImportSummary: Encodable, Equatable {
    var records = 0
    var events = 0
    var messages = 0
    var duplicates = 0
    var conversations = 0
    var badLines = 0
    /// Halves of characters that became U+FFFD.
    var replaced = 0
    /// Names and members that are older than the store's.
    var older = 0
    /// How much of a sync response was not recorded, by reason; nil for chat logs.
    var skipped: [String: Int]?
    var seconds = 0.0

    /// Whether there was nothing to record.
    var isEmpty: Bool { records == 0 && events == 0 && (skipped ?? [:]).isEmpty }

    var table: TextTable {
        var table = TextTable(columns: ["IMPORTED", .right("COUNT")])
        table.append(["records read", NumberFormat.count(records)])
        table.append(["events recorded", NumberFormat.count(events)])
        table.append(["messages among them", NumberFormat.count(messages)])
        table.append(["known already", NumberFormat.count(duplicates)])
        table.append(["conversations", NumberFormat.count(conversations)])
        if badLines > 0 { table.append(["bad lines skipped", NumberFormat.count(badLines)]) }
        if replaced > 0 { table.append(["halves of characters replaced", NumberFormat.count(replaced)]) }
        if older > 0 { table.append(["older than the store", NumberFormat.count(older)]) }
        for (reason, count) in (skipped ?? [:]).ordered(by: { $0.key < $1.key }) {
            table.append(["skipped: \(reason)", NumberFormat.count(count)])
        }
        table.append(["time", NumberFormat.duration(.seconds(seconds))])
        table.append(["rate", NumberFormat.rate(records, over: .seconds(seconds))])
        return table
    }
}

/// The making of a store for an import, which is undone if nothing was imported.
///
/// An empty store that a failed import left would block the next import.
struct StoreCreation {
    private let path: String
    private let isNew: Bool
    /// The path to which the store moves before it is removed.
    let aside: String

    /// Looks at a store's place before the store is opened, and removes the leftovers of a kill next to it.
    init(path: String) throws {
        let path = FileSystem.withoutTrailingSlashes(path)
        (self.path, aside) = (path, Leftovers.newPath(.copying, in: FileSystem.parent(of: path)))
        isNew = try StoreError.translating { try FileSystem.status(of: path) == nil }
    }

    /// Removes the store again if it was made since and holds no event; it must be closed.
    func undo() {
        guard isNew, (try? isEmpty()) == true else { return }
        // Under the writer's lock, as another process may have found the store in the meantime.
        guard let lock = try? FileLock.take(path + "/writer.lock"), (try? isEmpty()) == true, OwnFiles.fill(path) else {
            return
        }
        guard (try? FileSystem.rename(path, to: aside)) != nil else { return }
        withExtendedLifetime(lock) { try? FileSystem.remove(aside) }
    }

    /// Whether it is a store without events.
    private func isEmpty() throws -> Bool {
        let store = try MessageStore.openReadOnly(path, configuration: MessageStoreCommand.configuration)
        defer { try? store.close() }
        return try store.lastPosition() == .origin
    }
}

/// A line of a file of responses to `GET /_matrix/client/v3/sync`.
struct MatrixSync {
    /// The position in the server's stream after this response.
    let nextBatch: String
    /// The response.
    let body: JSONValue

    private init(_ value: JSONValue) throws {
        guard value.object != nil else { throw ChatLogLineFault(.invalidJSON, "not an object") }
        body = value["sync"] ?? value
        guard body.object != nil else { throw ChatLogLineFault(.wrongFieldType, "sync") }
        guard let nextBatch = body["next_batch"] else { throw ChatLogLineFault(.missingField, "next_batch") }
        guard let nextBatch = nextBatch.string else { throw ChatLogLineFault(.wrongFieldType, "next_batch") }
        if let rooms = body["rooms"], rooms.object == nil { throw ChatLogLineFault(.wrongFieldType, "rooms") }
        self.nextBatch = nextBatch
    }

    /// Reads a response, bare or as the member `sync` of an object.
    static func read(_ line: ArraySlice<UInt8>) throws -> (content: MatrixSync, replaced: Int) {
        let answer: MatrixJSON
        do { answer = try MatrixJSON(line) } catch {
            // Whichever case was tried last says nothing about the fault.
            throw ChatLogLineFault(.invalidJSON)
        }
        return (try MatrixSync(answer.value), answer.replaced)
    }
}

/// Reads files of sync responses.
typealias MatrixSyncReader = JSONLineReader<MatrixSync>

extension MatrixSyncReader {
    /// Opens a file of responses, a line each, or one on many lines; none may be larger than 64 MiB.
    convenience init(matrixSync path: String) throws(ChatLogError) {
        try self.init(path: path, maximumLineBytes: 64 << 20, readsDocuments: true, reading: MatrixSync.read)
    }
}

/// Records the sync responses of all files as one offline sync, each as one package.
struct MatrixImporter: FileImporter {
    let store: MessageStore
    let skipsBadLines: Bool
    let observer: ImportObserver

    private let readers: [MatrixSyncReader]
    private var rules: MatrixRules
    /// The index of the file that is read.
    private var current = 0
    private(set) var tally: ImportTally

    init(
        store: MessageStore, skipsBadLines: Bool, observer: ImportObserver, readers: [MatrixSyncReader]
    ) throws {
        (self.store, self.skipsBadLines, self.observer) = (store, skipsBadLines, observer)
        self.readers = readers
        rules = MatrixRules(store, keys: .byKind)
        tally = try ImportTally(store: store)
        tally.summary.skipped = [:]
    }

    mutating func importFiles() throws {
        guard var response = try next() else { return }
        try record(OfflineSyncStarted())
        var index: UInt32 = 0
        while true {
            let file = readers[current].path
            // Whether there is more must be known first; a line that cannot be read is more, too.
            let following = Result { try next() }
            var isLast = false
            if case .success(nil) = following { isLast = true }
            try record(response, of: file, index: index, hasMore: !isLast)
            guard let next = try following.get() else { break }
            response = next
            index += 1
        }
        try record(OfflineSyncCompleted())
    }

    /// The next response, of whichever file.
    private mutating func next() throws -> MatrixSync? {
        while true {
            do throws(ChatLogError) {
                if let (_, sync) = try readers[current].next() { return sync }
                guard current + 1 < readers.count else { return nil }
                current += 1
            } catch {
                guard error.isLineError, skipsBadLines else { throw error }
                tally.summary.badLines += 1
                observer.report(error)
            }
        }
    }

    private mutating func record(_ sync: MatrixSync, of file: String, index: UInt32, hasMore: Bool) throws {
        let package = try rules.package(of: sync.body, nextBatch: sync.nextBatch, origin: .offline)
        let before = try store.lastPosition()
        let result = try store.ingest(OfflinePackage(index: index, events: package.events, hasMore: hasMore))
        let older = tally.count(package.events, result, after: before, records: 1, of: file, isMoment: true)
        if let older { observer.report(older) }
        for (reason, count) in package.skipped { tally.summary.skipped?[reason.rawValue, default: 0] += count }
        tally.summary.replaced = readers.reduce(0) { $0 + $1.replaced }
        observer.progress(tally.summary)
    }

    private mutating func record(_ body: any EventPayload) throws {
        let before = try store.lastPosition()
        let result = try store.record([Event(any: body, origin: .offline)])
        _ = tally.count([], result, after: before, records: 0, of: "", isMoment: true)
    }
}
