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

    /// Refuses what a store does not allow.
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
