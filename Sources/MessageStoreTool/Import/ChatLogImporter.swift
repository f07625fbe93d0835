internal import MessageStore

/// Records chat logs in a store, package by package.
struct ChatLogImporter {
    /// What an import did, also one that stopped early.
    struct Summary: Encodable, Equatable {
        var records = 0
        var events = 0
        var messages = 0
        var duplicates = 0
        var conversations = 0
        var badLines = 0
        var seconds = 0.0
    }

    let store: MessageStore
    let packageSize: Int
    let skipsBadLines: Bool
    /// Told after each package.
    let progress: (Summary) -> Void
    /// Told of each line that is skipped.
    let report: (any Error) -> Void

    private(set) var summary = Summary()
    private var conversations: Set<ConversationKey> = []

    init(
        store: MessageStore, packageSize: Int, skipsBadLines: Bool, progress: @escaping (Summary) -> Void,
        report: @escaping (any Error) -> Void
    ) {
        self.store = store
        self.packageSize = packageSize
        self.skipsBadLines = skipsBadLines
        self.progress = progress
        self.report = report
    }

    /// Records a file to its end, or to its first bad line, before which everything is recorded.
    mutating func importFile(_ reader: sending ChatLogReader, _ path: String) throws {
        let packages = ChatLogPackages(
            reader: reader, path: path, packageSize: packageSize, skipsBadLines: skipsBadLines)
        defer { packages.cancel() }
        while true {
            switch packages.next() {
            case .package(let events, let records): try record(events, records)
            case .badLine(let error):
                summary.badLines += 1
                report(error)
            case .end(let failure):
                if let failure { throw failure }
                return
            }
        }
    }

    private mutating func record(_ package: [Event], _ records: Int) throws {
        let before = try store.lastPosition()
        let result = try store.record(package)
        summary.records += records
        summary.duplicates += result.duplicates
        summary.events += package.count - result.duplicates
        for (event, position) in zip(package, result.positions) {
            if let key = event.conversation { conversations.insert(key) }
            if position > before, case .messageReceived = event.body { summary.messages += 1 }
        }
        summary.conversations = conversations.count
        progress(summary)
    }
}
