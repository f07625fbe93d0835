internal import MessageStore
internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog
@_spi(Storage) internal import MessageStoreProjections

/// One search in one read of a store.
struct MessageSearch {
    private let query: CompiledQuery
    private let limit: Int
    private var text = FoldedText()
    private var hits: [SearchHit] = []

    init(_ query: CompiledQuery, limit: Int) {
        self.query = query
        self.limit = limit
    }

    /// Candidates between two looks at whether the search is to end.
    private static let candidatesPerCheck = 256

    /// A page of hits below a message.
    ///
    /// - Parameter rows: The index; nil where there is none.
    mutating func page(
        _ rows: borrowing LaggingSnapshot?, _ views: borrowing Views, below place: LocalMessageID?,
        _ check: () throws -> Void
    ) throws -> SearchPage {
        let filter = try RecordFilter(query.query, views.snapshot.symbols)
        var directory = SearchDirectory()
        var reached = Position.origin
        switch rows {
        case .some(let rows): (directory, reached) = (try SearchDirectory(reading: rows), rows.position)
        case .none: break
        }
        let waiting = try WaitingMessages(in: views, after: reached)
        var walk = IndexWalk(query, filter, directory)
        let recent = ListedPostings(waiting.messages)
        var (next, isAtEnd, seen) = (place?.rawValue ?? .max, false, 0)
        while hits.count < limit {
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
            try consider(LocalMessageID(found), views, filter)
            seen += 1
            if seen % Self.candidatesPerCheck == 0 { try check() }
        }
        return SearchPage(
            hits: hits, next: isAtEnd ? nil : hits.last?.message.id, position: views.position,
            isComplete: waiting.unread.map { place?.rawValue ?? .max < $0.lowerBound || next > $0.upperBound } ?? true,
            hasLongTexts: directory.longTexts > 0)
    }

    /// Adds a message to the hits where it is one.
    private mutating func consider(_ local: LocalMessageID, _ views: borrowing Views, _ filter: RecordFilter) throws {
        var folded = FoldedText()
        swap(&folded, &text)
        defer { swap(&folded, &text) }
        let found: String? = try views.shownContent(of: local) { content in
            guard let words = content.holder.messageText, filter.wants(content, words) else { return nil }
            words.withUnsafeBytes { folded.fold($0) }
            return query.matches(folded) ? words.string : nil
        }
        guard let found, let message = try views.message(local) else { return }
        // As the caller gets it: broken bytes were replaced.
        folded = FoldedText(found)
        let places = query.places(in: folded).map { place in
            found.utf8.index(found.startIndex, offsetBy: place.lowerBound)..<found.utf8.index(
                found.startIndex, offsetBy: place.upperBound)
        }
        hits.append(SearchHit(message: message, text: found, highlights: places))
    }
}

/// The messages that the index does not know yet, or not with their last contents.
private struct WaitingMessages {
    /// The highest first.
    private(set) var messages: [UInt64] = []
    /// Events that are neither in the index nor read.
    private(set) var unread: ClosedRange<UInt64>?

    init(in views: borrowing Views, after reached: Position) throws {
        let last = views.position.rawValue
        guard last > reached.rawValue else { return }
        var first = reached.rawValue + 1
        if last - reached.rawValue > MessageStore.greatestScan {
            first = last - MessageStore.greatestScan + 1
            unread = reached.rawValue + 1...first - 1
        }
        var found: Set<UInt64> = []
        try views.forEachMessageWithContent(from: Position(first), to: Position(last)) { found.insert($0.rawValue) }
        messages = found.sorted(by: >)
    }
}
