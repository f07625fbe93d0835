@_spi(Storage) internal import MessageStoreLog
@_spi(Storage) internal import MessageStoreProjections

/// One search in one read of a store.
struct MessageSearch {
    private let query: CompiledQuery
    private let limit: Int
    private let scan: UInt64
    private let hostTexts: [EventType: HostText]
    private var text = FoldedText()
    private var hits: [SearchHit] = []

    init(_ query: CompiledQuery, limit: Int, scanning scan: Int, hostTexts: [EventType: HostText]) {
        self.query = query
        self.limit = limit
        self.hostTexts = hostTexts
        self.scan = UInt64(max(scan, 0))
    }

    /// Candidates between two looks at whether the search is to end.
    private static let candidatesPerCheck = 256

    /// A page of hits below a message.
    ///
    /// - Parameter rows: The index; nil if there is none.
    mutating func page(
        _ rows: borrowing LaggingSnapshot?, _ views: borrowing Views, after cursor: PageCursor?,
        _ check: () throws -> Void
    ) throws -> SearchPage {
        let filter = try RecordFilter(query.query, views.snapshot.symbols)
        var directory = SearchDirectory()
        var reached = Position.origin
        switch rows {
        case .some(let rows): (directory, reached) = (try SearchDirectory(reading: rows), rows.position)
        case .none: break
        }
        let waiting = try WaitingMessages(in: views, after: reached, atMost: scan, filter.files, hostTexts)
        let hasLongTexts = directory.longTexts > 0 || waiting.hasLongTexts
        guard !query.isContradiction else {
            return SearchPage([], position: views.position, hasLongTexts: hasLongTexts)
        }
        var walk = IndexWalk(query, filter, directory)
        let recent = ListedPostings(waiting.messages)
        var (next, isAtEnd, seen) = (try cursor?.position().rawValue ?? .max, false, 0)
        while hits.count < limit {
            guard next > 0 else {
                isAtEnd = true
                break
            }
            recent.advance(to: next - 1)
            var found = recent.current
            switch rows {
            case .some(let rows): found = [found, try walk.next(below: next, rows)].compactMap { $0 }.max()
            case .none: break
            }
            guard let found else {
                isAtEnd = true
                break
            }
            next = found
            try consider(Position(found), views, filter)
            seen += 1
            if seen % Self.candidatesPerCheck == 0 { try check() }
        }
        return SearchPage(
            hits, next: isAtEnd ? nil : hits.last.map { PageCursor(below: $0.position) },
            position: views.position,
            // Events that were not read may also give messages before them a content.
            isComplete: waiting.unread.map { !isAtEnd && next > $0.upperBound } ?? true,
            hasLongTexts: hasLongTexts)
    }

    /// Adds a message to the hits if it is one.
    private mutating func consider(
        _ position: Position, _ views: borrowing Views, _ filter: RecordFilter
    ) throws {
        let local = LocalMessageID(position.rawValue)
        var folded = FoldedText()
        swap(&folded, &text)
        defer { swap(&folded, &text) }
        let found: (text: String, byteCount: Int, field: SearchHit.Field)? = try views.shownContent(of: local) {
            content in
            guard filter.wants(content) else { return nil }
            let name = filter.files.name(in: content.holder)
            guard let words = content.holder.messageText else {
                guard let name else { return nil }
                folded = FoldedText(name)
                return query.matches(folded) ? (name, name.utf8.count, .fileName) : nil
            }
            words.withUnsafeBytes { folded.fold($0) }
            guard let name else { return query.matches(folded) ? (words.string, words.byteCount, .text) : nil }
            let other = FoldedText(name)
            guard query.matches(folded, other) else { return nil }
            if query.isAnyFound(in: folded) { return (words.string, words.byteCount, .text) }
            folded = other
            return (name, name.utf8.count, .fileName)
        }
        if let found {
            // In the caller's text broken bytes are replaced by as many or more; if by as many, all places are the
            // same.
            if found.text.utf8.count != found.byteCount { folded = FoldedText(found.text) }
            try add(found.text, folded, at: position, found.field, views.message(local))
        } else if !hostTexts.isEmpty, let found = try hostText(at: position, views, filter) {
            folded = FoldedText(found)
            if query.matches(folded) { add(found, folded, at: position, .text, nil) }
        }
    }

    /// The text of an event of a host that the filters let through.
    private func hostText(at position: Position, _ views: borrowing Views, _ filter: RecordFilter) throws -> String? {
        guard let event = try views.event(at: position), let rule = hostTexts[event.event.type],
            let text = rule.text(event.event.payload), try views.wants(position, filter, text)
        else { return nil }
        return text
    }

    private mutating func add(
        _ found: String, _ folded: FoldedText, at position: Position, _ field: SearchHit.Field, _ message: Message?
    ) {
        let places = found.wholeCharacters(query.places(in: folded))
        hits.append(SearchHit(position: position, message: message, field: field, text: found, highlights: places))
    }
}

/// The messages that the index does not know yet, or not with their last contents.
private struct WaitingMessages {
    /// The highest first.
    private(set) var messages: [UInt64] = []
    /// Events that are neither in the index nor read.
    private(set) var unread: ClosedRange<UInt64>?
    /// Whether one of them has a text whose beginning alone is found.
    private(set) var hasLongTexts = false

    init(
        in views: borrowing Views, after reached: Position, atMost limit: UInt64, _ files: FileNames,
        _ hostTexts: [EventType: HostText]
    ) throws {
        let last = views.position.rawValue
        guard last > reached.rawValue else { return }
        var first = reached.rawValue + 1
        if last - reached.rawValue > limit {
            first = last - limit + 1
            unread = reached.rawValue + 1...first - 1
        }
        guard first <= last else { return }
        var found: [UInt64] = []
        try views.forEachMessageWithContent(from: Position(first), to: Position(last)) { found.append($0.rawValue) }
        try views.forEachContent(from: Position(first), to: Position(last), over: SearchPage.textLimit) {
            if !hasLongTexts { hasLongTexts = files.hasLongText($0) }
        }
        if !hostTexts.isEmpty {
            try views.forEachEvent(of: Set(hostTexts.keys), from: Position(first), to: Position(last)) {
                record, decoder in
                found.append(record.position.rawValue)
                guard !hasLongTexts else { return }
                let text = try hostTexts[record.type]?.text(decoder.event(from: record).payload)
                hasLongTexts = text?.utf8.count ?? 0 > SearchPage.textLimit
            }
        }
        // Mostly they are in their order.
        let isAscending = zip(found, found.dropFirst()).allSatisfy { $0 < $1 }
        messages = isAscending ? found.reversed() : Set(found).sorted(by: >)
    }
}

extension Views {
    fileprivate borrowing func wants(_ position: Position, _ filter: RecordFilter, _ text: String) throws -> Bool {
        guard let record = try snapshot.log.record(at: position) else { return false }
        return filter.wants(record, text)
    }
}
