@_spi(Storage) internal import MessageStoreLog
@_spi(Storage) internal import MessageStoreProjections

/// A query that was checked.
struct CompiledQuery {
    let query: SearchQuery
    let terms: [CompiledTerm]
    let excluded: [CompiledTerm]

    /// - Throws: `StoreError` with code `invalidArgument`.
    init(_ query: SearchQuery) throws {
        self.query = query
        guard query.terms.reduce(0, { $0 + $1.text.unicodeScalars.count }) <= SearchQuery.greatestLength else {
            throw StoreError(.invalidArgument, "a query has at most \(SearchQuery.greatestLength) characters")
        }
        let compiled = query.terms.compactMap { CompiledTerm($0) }
        terms = compiled.filter { !$0.isExcluded }
        excluded = compiled.filter(\.isExcluded)
        guard !terms.isEmpty else {
            throw StoreError(
                .invalidArgument,
                excluded.isEmpty
                    ? "a query needs a letter, a digit or another character to look for"
                    : "a query that excludes words needs another one to look for")
        }
        guard terms.reduce(0, { $0 + $1.requirements.count }) <= SearchQuery.greatestGramCount else {
            throw StoreError(
                .invalidArgument,
                "a query has at most \(SearchQuery.greatestGramCount) words or pairs of characters")
        }
    }

    /// Whether each message that has a term has one that is excluded as well.
    var isContradiction: Bool {
        func contradicts(_ term: CompiledTerm) -> Bool {
            !term.isPrefix && excluded.contains { $0.isFound(in: term.units) }
        }
        return query.matching == .all ? terms.contains(where: contradicts) : terms.allSatisfy(contradicts)
    }

    /// Whether the words of a text, and of another one, are those that are looked for.
    func matches(_ text: borrowing FoldedText, _ other: FoldedText? = nil) -> Bool {
        switch query.matching {
        case .all: for term in terms where !Self.isFound(term, text, other) { return false }
        case .any: guard isAnyFound(in: text, other) else { return false }
        }
        for term in excluded where Self.isFound(term, text, other) { return false }
        return true
    }

    /// Whether one of the terms is in a text, or in another one.
    func isAnyFound(in text: borrowing FoldedText, _ other: FoldedText? = nil) -> Bool {
        for term in terms where Self.isFound(term, text, other) { return true }
        return false
    }

    private static func isFound(_ term: CompiledTerm, _ text: borrowing FoldedText, _ other: FoldedText?) -> Bool {
        term.isFound(in: text) || other.map { term.isFound(in: $0) } ?? false
    }

    /// The parts of a text that are found, in order, as ranges of its UTF-8; none overlaps another.
    func places(in text: borrowing FoldedText) -> [Range<Int>] {
        var places: [Range<Int>] = []
        for term in terms { places += term.places(in: text) }
        places.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var joined: [Range<Int>] = []
        for place in places {
            if let last = joined.last, place.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, place.upperBound)
            } else {
                joined.append(place)
            }
        }
        return joined
    }
}

/// The filters of a query, as numbers of records.
struct RecordFilter {
    private let conversations: Set<UInt32>?
    private let senders: Set<UInt32>?
    private let types: Set<UInt32>?
    private let time: ClosedRange<Timestamp>?
    private let mentionsAccount: Bool
    private let hasLink: Bool
    let files: FileNames

    init(_ query: SearchQuery, _ symbols: SymbolTable) throws {
        conversations = try query.conversations.map { try Set($0.compactMap { try symbols.existingNumber(of: $0) }) }
        senders = try query.senders.map { try Set($0.compactMap { try symbols.existingNumber(of: $0) }) }
        types = try query.types.map { try Set($0.compactMap { try symbols.existingNumber(of: $0) }) }
        time = query.time
        mentionsAccount = query.mentionsAccount
        hasLink = query.hasLink
        files = try FileNames(symbols)
    }

    /// Whether an event of a host is wanted; it has no content type and mentions nobody.
    func wants(_ record: RecordView, _ text: String) -> Bool {
        if let conversations, !conversations.contains(record.conversation) { return false }
        if let senders, !senders.contains(record.actor) { return false }
        guard types == nil, !mentionsAccount else { return false }
        if let time, !time.contains(record.serverTime ?? record.now) { return false }
        var text = text
        return !hasLink || text.withUTF8 { LinkFinder.hasLink(UnsafeRawBufferPointer($0)) }
    }

    /// The grams that a wanted message has: one of each list.
    var grams: [[[UInt8]]] {
        var grams: [[[UInt8]]] = []
        // The lists of many would cost more than they spare.
        func add(_ numbers: Set<UInt32>?, _ gram: (UInt32) -> [UInt8]) {
            if let numbers, numbers.count <= 32 { grams.append(numbers.sorted().map(gram)) }
        }
        add(conversations, Gram.conversation)
        add(senders, Gram.sender)
        add(types, Gram.contentType)
        if mentionsAccount { grams.append([Gram.mention]) }
        if hasLink { grams.append([Gram.link]) }
        return grams
    }

    func wants(_ content: ShownContent) -> Bool {
        if let conversations, !conversations.contains(content.message.conversation) { return false }
        if let senders, !senders.contains(content.message.actor) { return false }
        if let types, !types.contains(content.holder.contentType) { return false }
        if let time, !time.contains(content.time) { return false }
        if mentionsAccount, !content.mentionsAccount { return false }
        guard hasLink else { return true }
        return content.holder.messageText?.withUnsafeBytes { LinkFinder.hasLink($0) } ?? false
    }
}
