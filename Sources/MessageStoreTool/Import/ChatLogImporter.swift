internal import MessageStore

/// Records chat logs in a store, package by package.
struct ChatLogImporter: FileImporter {
    let store: MessageStore
    let packageSize: Int
    let skipsBadLines: Bool
    let observer: ImportObserver
    let files: [(path: String, reader: ChatLogReader)]

    private(set) var tally = ImportTally()
    /// Events of consecutive lines that are not recorded yet, and how many of the lines were records.
    private(set) var package: (events: [Event], records: Int) = ([], 0)

    mutating func importFiles() throws {
        for (path, reader) in files { while try importLine(of: reader, path) {} }
    }

    /// Reads a line, and records the package that it fills or the file's end completes; returns false at the end.
    private mutating func importLine(of reader: ChatLogReader, _ path: String) throws -> Bool {
        do {
            guard let (line, content) = try reader.next() else {
                try record()
                return false
            }
            let events = ChatLogEvents.events(of: content, line: line)
            do {
                for event in events { try event.validate() }
            } catch {
                let detail = (error as? StoreError)?.message ?? "\(error)"
                throw ChatLogError(code: .invalidEvent, file: path, line: line, detail: detail)
            }
            if case .record = content { package.records += 1 }
            package.events += events
            if package.events.count >= packageSize { try record() }
        } catch let error as ChatLogError {
            try record()
            guard error.isLineError, skipsBadLines else { throw error }
            tally.summary.badLines += 1
            observer.report(error)
        }
        return true
    }

    private mutating func record() throws {
        guard !package.events.isEmpty else { return }
        let (events, records) = package
        package = ([], 0)
        let before = try store.lastPosition()
        tally.count(events, try store.record(events), after: before, records: records)
        observer.progress(tally.summary)
    }
}
