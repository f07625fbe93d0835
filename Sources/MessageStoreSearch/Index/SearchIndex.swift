@_spi(Storage) internal import MessageStoreLog
@_spi(Storage) internal import MessageStoreProjections

/// The index of the texts of messages and the names of their files, which a search uses; register it where the store is opened.
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
public struct SearchIndex: LaggingProjection, PartedRows {
    /// The index's name.
    public static let id: ProjectionID = "com.messagestore.search"

    /// A number of the rules of folding, the form of the rows, and the hosts' texts.
    public var version: UInt32 {
        var rules: [UInt8] = []
        rules.append(number: UInt64(FoldingRules.version))
        // The fields that are found: with file names 2.
        rules.append(number: 2)
        for (type, rule) in hostTexts.ordered(by: { $0.key.rawValue < $1.key.rawValue }) {
            rules.append(number: UInt64(type.rawValue))
            rules.append(number: UInt64(rule.version))
        }
        return UInt32(truncatingIfNeeded: rules.withUnsafeBytes { XXH64.hash($0, seed: 0) })
    }

    /// Each search reads the waiting events: 511 cost it some tenths of a millisecond.
    public var minimumLag: Int { 512 }

    /// The kind of a row and the number of a run.
    package static let partBytes = SearchRun.key(0).count

    /// The texts of hosts' events, by their type.
    let hostTexts: [EventType: HostText]

    /// Creates the index.
    ///
    /// - Parameter hostTexts: The host's own events that are found, and their texts.
    public init(hostTexts: [HostText] = []) {
        self.hostTexts = Dictionary(hostTexts.map { ($0.type, $0) }) { $1 }
    }

    /// Adds the texts of messages.
    public func apply(
        _ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows
    ) throws {
        var directory = try SearchDirectory(reading: rows, isFirst: positions.lowerBound == Position(1))
        let files = try FileNames(views.snapshot.symbols)
        var (postings, text) = (PostingBuilder(), FoldedText())
        var first = positions.lowerBound.rawValue
        // Long texts fill several runs, so that memory is bounded.
        func writeIfLarge(_ position: Position) throws {
            guard postings.count > Self.greatestPostings else { return }
            // A content that was recorded before its message comes with that.
            let next = max(first, position.rawValue)
            try directory.addRun(of: postings, events: next - first, to: rows)
            (postings, first) = (PostingBuilder(), next)
        }
        try views.forEachContent(from: positions.lowerBound, to: positions.upperBound) { message, holder in
            postings.add(message, holder, files, &text)
            try writeIfLarge(holder.position)
        }
        try views.forEachContent(from: positions.lowerBound, to: positions.upperBound, over: SearchPage.textLimit) {
            if files.hasLongText($0) { directory.longTexts &+= 1 }
        }
        if !hostTexts.isEmpty {
            let types = Set(hostTexts.keys)
            try views.forEachEvent(of: types, from: positions.lowerBound, to: positions.upperBound) { record, decoder in
                if try postings.add(record, decoder, hostTexts, &text) { directory.longTexts &+= 1 }
                try writeIfLarge(record.position)
            }
        }
        try directory.addRun(of: postings, events: positions.upperBound.rawValue &- first &+ 1, to: rows)
        try directory.write(to: rows)
    }

    /// So many pairs of a gram and a message, of 20 bytes each, are gathered in memory.
    private static let greatestPostings = 1_000_000

    /// Lets the messages leave all lists, and adds their remaining text.
    public func erase(_ positions: [Position], in views: borrowing Views, from rows: borrowing LaggingRows) throws
        -> Bool
    {
        var directory = try SearchDirectory(reading: rows, isFirst: false)
        let messages = try views.messages(withContentsAt: positions)
        let events = Set(messages.map(\.rawValue)).union(positions.map(\.rawValue))
        directory.erasures &+= 1
        for event in events { directory.erased[event] = directory.erasures }
        let files = try FileNames(views.snapshot.symbols)
        var (postings, text) = (PostingBuilder(), FoldedText())
        for event in events.sorted() {
            try views.forEachContent(of: LocalMessageID(event)) { record, holder in
                postings.add(record, holder, files, &text)
            }
            guard !hostTexts.isEmpty else { continue }
            let position = Position(event)
            try views.forEachEvent(of: Set(hostTexts.keys), from: position, to: position) { record, decoder in
                _ = try postings.add(record, decoder, hostTexts, &text)
            }
        }
        if !postings.isEmpty { try directory.addRun(of: postings, events: UInt64(events.count), to: rows) }
        try directory.write(to: rows)
        return true
    }

    /// Merges runs, and removes the rows that they took the place of.
    public func maintain(_ rows: borrowing LaggingRows, thoroughly: Bool) throws -> Bool {
        var directory = try SearchDirectory(reading: rows, isFirst: true)
        guard try directory.work(on: rows, thoroughly: thoroughly) else { return false }
        try directory.write(to: rows)
        return true
    }
}

extension PostingBuilder {
    /// Adds a message with the text of a record.
    fileprivate mutating func add(
        _ message: RecordView, _ holder: RecordView, _ files: FileNames, _ text: inout FoldedText
    ) {
        let position = message.position.rawValue
        var hasUnits = false
        if let words = holder.messageText, words.byteCount > 0 {
            words.withUnsafeBytes { bytes in
                text.fold(bytes)
                if LinkFinder.hasLink(bytes) { add(Gram.link, position) }
            }
            Gram.forEach(in: text) { add($0, position) }
            hasUnits = !text.units.isEmpty
        }
        if let name = files.name(in: holder) {
            let name = FoldedText(name)
            Gram.forEach(in: name) { add($0, position) }
            hasUnits = hasUnits || !name.units.isEmpty
        }
        guard hasUnits else { return }
        addEnvelope(of: message)
        add(Gram.contentType(holder.contentType), position)
        // A modification's mentions are looked at when it is shown.
        if message.flags.contains(.mentionsAccount) || holder.position != message.position {
            add(Gram.mention, position)
        }
    }

    /// Adds an event of a host with its text; answers whether that was longer than the part that is indexed.
    fileprivate mutating func add(
        _ record: RecordView, _ decoder: RecordDecoder, _ rules: [EventType: HostText], _ text: inout FoldedText
    ) throws -> Bool {
        guard var words = try rules[record.type]?.text(decoder.event(from: record).payload) else { return false }
        let position = record.position.rawValue
        words.withUTF8 { bytes in
            text.fold(UnsafeRawBufferPointer(bytes))
            if LinkFinder.hasLink(UnsafeRawBufferPointer(bytes)) { add(Gram.link, position) }
        }
        Gram.forEach(in: text) { add($0, position) }
        addEnvelope(of: record)
        return text.isCutOff
    }

    private mutating func addEnvelope(of record: RecordView) {
        add(Gram.conversation(record.conversation), record.position.rawValue)
        add(Gram.sender(record.actor), record.position.rawValue)
    }
}

extension SearchDirectory {
    /// Writes a run of the gathered postings.
    fileprivate mutating func addRun(of postings: PostingBuilder, events: UInt64, to rows: borrowing LaggingRows) throws
    {
        var run = SearchRun(number: takeNumber(), events: events)
        run.erasures = erasures
        var writer = RunWriter(run)
        try postings.forEach { gram, positions in try writer.append(gram, positions, to: rows) }
        try writer.flush(to: rows)
        runs.append(writer.run)
    }
}
