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

/// Counts what an importer records.
struct ImportTally {
    var summary = ImportSummary()
    private var conversations: Set<ConversationKey> = []
    private var older: OlderFacts
    private var olderFiles: Set<String> = []

    init(store: MessageStore) throws { older = try OlderFacts(of: store) }

    /// Counts a package of a file, recorded when `before` was the log's last position.
    ///
    /// - Parameter isMoment: Whether the package reports one moment, in any order.
    /// - Returns: What is said of the file, once, where names or members in it are older than what the store has.
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
