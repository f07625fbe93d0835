internal import MessageStoreMatrix

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
