internal import MessageStore

/// Records chat logs in a store, package by package.
struct ChatLogImporter: FileImporter {
    let store: MessageStore
    let packageSize: Int
    let skipsBadLines: Bool
    let observer: ImportObserver
    let files: [(path: String, reader: ChatLogReader)]

    private var tally = ImportTally()

    var summary: ImportSummary { tally.summary }

    init(
        store: MessageStore, packageSize: Int, skipsBadLines: Bool, observer: ImportObserver,
        files: [(path: String, reader: ChatLogReader)]
    ) {
        self.store = store
        self.packageSize = packageSize
        self.skipsBadLines = skipsBadLines
        self.observer = observer
        self.files = files
    }

    mutating func importFiles() throws {
        for file in files {
            // Each reader is handed over once.
            nonisolated(unsafe) let reader = file.reader
            try importFile(reader, file.path)
        }
    }

    private mutating func importFile(_ reader: sending ChatLogReader, _ path: String) throws {
        let packages = ChatLogPackages(
            reader: reader, path: path, packageSize: packageSize, skipsBadLines: skipsBadLines)
        defer { packages.cancel() }
        while true {
            switch packages.next() {
            case .package(let events, let records): try record(events, records)
            case .badLine(let error):
                tally.summary.badLines += 1
                observer.report(error)
            case .end(let failure):
                if let failure { throw failure }
                return
            }
        }
    }

    private mutating func record(_ package: [Event], _ records: Int) throws {
        let before = try store.lastPosition()
        tally.count(package, try store.record(package), after: before, records: records)
        observer.progress(summary)
    }
}
