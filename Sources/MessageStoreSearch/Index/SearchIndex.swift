public import MessageStore
@_spi(Storage) internal import MessageStoreLog
@_spi(Storage) internal import MessageStoreProjections

/// The index of the texts of messages, which a search uses; register it where the store is opened.
///
/// ```swift
/// import MessageStoreSearch
///
/// configuration.laggingProjections = [SearchIndex()]
/// let store = try await MessageStore.open(path, account: "alice", configuration: configuration)
/// let page = try await store.search(SearchQuery("知道"))
/// ```
///
/// It is made by a thread of its own while nothing is recorded, and takes a fraction of the texts' bytes. `Docs/Search.md`
/// has its rules, costs and limits.
public struct SearchIndex: LaggingProjection {
    /// The index's name.
    public static let id: ProjectionID = "com.messagestore.search"

    /// The version of the rules of folding, and of the rows.
    public var version: UInt32 { FoldingRules.version << 8 | 1 }

    /// What waits is read by each search: 511 events cost it some tenths of a millisecond.
    public var minimumLag: Int { 512 }

    /// Creates the index.
    public init() {}

    /// Adds the texts of messages.
    public func apply(
        _ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows
    ) throws {
        var (postings, text) = (PostingBuilder(), FoldedText())
        var longTexts: UInt64 = 0
        try views.forEachContent(from: positions.lowerBound, to: positions.upperBound) { message, holder in
            if postings.add(message, holder, &text) { longTexts += 1 }
        }
        var directory = try SearchDirectory(reading: rows)
        directory.longTexts += longTexts
        try directory.addRun(
            of: postings, events: positions.upperBound.rawValue - positions.lowerBound.rawValue + 1, to: rows)
        try directory.write(to: rows)
    }

    /// Lets the messages leave all lists, and adds what they still say.
    public func erase(_ positions: [Position], in views: borrowing Views, from rows: borrowing LaggingRows) throws -> Bool {
        var directory = try SearchDirectory(reading: rows)
        let messages = try views.messages(withContentsAt: positions)
        directory.erasures += 1
        directory.erased = Set(directory.erased).union(messages.map(\.rawValue)).sorted()
        directory.endJob()
        var (postings, text) = (PostingBuilder(), FoldedText())
        for message in messages {
            try views.forEachContent(of: message) { record, holder in
                _ = postings.add(record, holder, &text)
            }
        }
        if !postings.isEmpty { try directory.addRun(of: postings, events: UInt64(messages.count), to: rows) }
        try directory.write(to: rows)
        return true
    }

    /// Merges runs, and removes what they took the place of.
    public func maintain(_ rows: borrowing LaggingRows) throws -> Bool {
        var directory = try SearchDirectory(reading: rows)
        guard try directory.work(on: rows) else { return false }
        try directory.write(to: rows)
        return true
    }
}

extension PostingBuilder {
    /// Adds a message with what a record says; answers whether the text was longer than what is indexed.
    fileprivate mutating func add(
        _ message: RecordView, _ holder: RecordView, _ text: inout FoldedText
    ) -> Bool {
        let position = message.position.rawValue
        guard let words = holder.messageText, words.byteCount > 0 else { return false }
        words.withUnsafeBytes { bytes in
            text.fold(bytes)
            if LinkFinder.hasLink(bytes) { add(Gram.link, position) }
        }
        guard !text.units.isEmpty else { return text.isCutOff }
        Gram.forEach(in: text) { add($0, position) }
        add(Gram.conversation(message.conversation), position)
        add(Gram.sender(message.actor), position)
        add(Gram.contentType(holder.contentType), position)
        // Whom a modification mentions is looked at where it is shown.
        if message.flags.contains(.mentionsAccount) || holder.position != message.position {
            add(Gram.mention, position)
        }
        return text.isCutOff
    }
}

extension SearchDirectory {
    /// Writes a run of what was gathered.
    fileprivate mutating func addRun(of postings: PostingBuilder, events: UInt64, to rows: borrowing LaggingRows) throws {
        var run = SearchRun(number: takeNumber(), events: events)
        run.erasures = erasures
        var writer = RunWriter(run)
        try postings.forEach { gram, positions in try writer.append(gram, positions, to: rows) }
        try writer.flush(to: rows)
        runs.append(writer.run)
    }
}
