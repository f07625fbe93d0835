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
    private var package: [Event] = []
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
    mutating func importFile(_ path: String) throws {
        let reader = try ChatLogReader(path: path)
        do {
            while try importLine(of: reader, path) {}
        } catch {
            try flush()
            throw error
        }
        try flush()
    }

    private mutating func importLine(of reader: ChatLogReader, _ path: String) throws -> Bool {
        do {
            guard let (line, content) = try reader.next() else { return false }
            let events = ChatLogEvents.events(of: content, line: line)
            do {
                for event in events { try event.validate() }
            } catch {
                throw ChatLogError(code: .invalidEvent, file: path, line: line, detail: error.message)
            }
            if case .record = content { summary.records += 1 }
            for event in events {
                if let key = event.conversation { conversations.insert(key) }
                package.append(event)
            }
            if package.count >= packageSize { try flush() }
        } catch let error as ChatLogError where error.isLineError && skipsBadLines {
            summary.badLines += 1
            report(error)
        }
        return true
    }

    private mutating func flush() throws {
        guard !package.isEmpty else { return }
        let before = try store.lastPosition()
        let result = try store.record(package)
        summary.duplicates += result.duplicates
        summary.events += package.count - result.duplicates
        for (event, position) in zip(package, result.positions) where position > before {
            if case .messageReceived = event.body { summary.messages += 1 }
        }
        summary.conversations = conversations.count
        package.removeAll(keepingCapacity: true)
        progress(summary)
    }
}
