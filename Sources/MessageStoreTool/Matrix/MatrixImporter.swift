internal import MessageStore

/// Records the sync responses of all files as one offline sync, each as one package.
struct MatrixImporter: FileImporter {
    let store: MessageStore
    let skipsBadLines: Bool
    let observer: ImportObserver

    private let memory: MatrixMemory
    private var readers: ArraySlice<MatrixSyncReader>
    private(set) var tally = ImportTally()

    init(store: MessageStore, skipsBadLines: Bool, observer: ImportObserver, readers: [MatrixSyncReader]) {
        self.store = store
        self.skipsBadLines = skipsBadLines
        self.observer = observer
        self.readers = readers[...]
        memory = MatrixMemory(store: store)
        tally.summary.skipped = [:]
    }

    mutating func importFiles() throws {
        guard var current = try next() else { return }
        try record(OfflineSyncStarted())
        var index: UInt32 = 0
        while true {
            // Whether there is more must be known first; a line that cannot be read is more, too.
            let following = Result { try next() }
            var isLast = false
            if case .success(nil) = following { isLast = true }
            try record(current, index: index, hasMore: !isLast)
            guard let next = try following.get() else { break }
            current = next
            index += 1
        }
        try record(OfflineSyncCompleted())
    }

    /// The next response, of whichever file.
    private mutating func next() throws -> MatrixSync? {
        while let reader = readers.first {
            do throws(ChatLogError) {
                if let (_, sync) = try reader.next() { return sync }
                readers.removeFirst()
            } catch {
                guard error.isLineError, skipsBadLines else { throw error }
                tally.summary.badLines += 1
                observer.report(error)
            }
        }
        return nil
    }

    private mutating func record(_ sync: MatrixSync, index: UInt32, hasMore: Bool) throws {
        let package = try MatrixPackage(sync, account: store.account, memory: memory)
        let before = try store.lastPosition()
        let result = try store.ingest(OfflinePackage(index: index, events: package.events, hasMore: hasMore))
        tally.count(package.events, result, after: before, records: 1)
        for (reason, count) in package.skipped { tally.summary.skipped?[reason.rawValue, default: 0] += count }
        observer.progress(tally.summary)
    }

    private mutating func record(_ body: any EventPayload) throws {
        let before = try store.lastPosition()
        let result = try store.record([Event(body, origin: .offline)])
        tally.count([], result, after: before, records: 0)
    }
}
