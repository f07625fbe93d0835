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

    /// Whether the words of a text, and of another one, are the sought ones.
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

/// A term as it is looked up, and compared with texts.
struct CompiledTerm {
    /// A request to the index.
    enum Requirement: Hashable {
        /// A gram.
        case gram([UInt8])
        /// Any gram that begins so.
        case beginning([UInt8])
    }

    let units: FoldedText
    let isPrefix: Bool
    let isExcluded: Bool
    /// Every text that has the term has all of these.
    let requirements: Set<Requirement>

    /// - Returns: nil if the term has nothing that can be found.
    init?(_ term: SearchQuery.Term) {
        let folded = FoldedText(term.text)
        guard !folded.units.isEmpty else { return nil }
        units = folded
        isPrefix = term.isPrefix
        isExcluded = term.isExcluded
        requirements = Self.requirements(of: folded, isPrefix: term.isPrefix)
    }

    private static func requirements(of text: FoldedText, isPrefix: Bool) -> Set<Requirement> {
        var requirements: Set<Requirement> = []
        let units = text.units
        func follows(_ index: Int) -> Bool {
            index > 0 && index < units.count && units[index].isJoined && units[index].kind == .character
                && units[index - 1].kind == .character
        }
        text.bytes.withUnsafeBytes { bytes in
            for (index, unit) in units.enumerated() {
                let folded = UnsafeRawBufferPointer(rebasing: bytes[unit.folded])
                switch unit.kind {
                case .word:
                    if isPrefix, index == units.count - 1 {
                        // The gram of a word that continues ends up to three bytes early, at a scalar's end.
                        let count = Gram.greatestCount - 3
                        requirements.insert(.beginning([UInt8](Gram.beginning(of: folded, count: count))))
                    } else {
                        requirements.insert(.gram([UInt8](Gram.beginning(of: folded))))
                    }
                case .character:
                    if follows(index + 1) {
                        let next = units[index + 1].folded
                        let pair = bytes[unit.folded.lowerBound..<next.upperBound]
                        let gram = [UInt8](Gram.beginning(of: UnsafeRawBufferPointer(rebasing: pair)))
                        let mayContinue = index + 2 == units.count && isPictograph(bytes, next)
                        requirements.insert(mayContinue ? .beginning(gram) : .gram(gram))
                    } else if !follows(index) {
                        requirements.insert(.beginning([UInt8](Gram.beginning(of: folded))))
                    }
                }
            }
        }
        return requirements
    }

    /// Whether a character is an emoji, to which others may be joined.
    private static func isPictograph(_ bytes: UnsafeRawBufferPointer, _ character: Range<Int>) -> Bool {
        UTF8Scalar.decode(bytes, at: character.lowerBound).map { EmojiScalar.isPictograph($0.scalar) } ?? false
    }

    /// Whether a text has the term.
    func isFound(in text: borrowing FoldedText) -> Bool { firstPlace(in: text, from: 0) != nil }

    /// The parts of the original text that are the term, as ranges of its UTF-8.
    func places(in text: borrowing FoldedText) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var start = 0
        while let place = firstPlace(in: text, from: start) {
            let (first, last) = (text.units[place], text.units[place + units.units.count - 1])
            places.append(first.source.lowerBound..<last.source.upperBound)
            start = place + 1
        }
        return places
    }

    /// The index of the first unit of the next place of the term.
    private func firstPlace(in text: borrowing FoldedText, from start: Int) -> Int? {
        let count = units.units.count
        guard text.units.count >= count, start <= text.units.count - count else { return nil }
        return text.bytes.withUnsafeBytes { bytes in
            units.bytes.withUnsafeBytes { wanted in
                (start...text.units.count - count).first { place in
                    (0..<count).allSatisfy { isEqual(text.units[place + $0], bytes, at: $0, wanted) }
                }
            }
        }
    }

    private func isEqual(
        _ unit: FoldedText.Unit, _ bytes: UnsafeRawBufferPointer, at index: Int, _ wanted: UnsafeRawBufferPointer
    ) -> Bool {
        let own = units.units[index]
        guard unit.kind == own.kind, index == 0 || !own.isJoined || unit.isJoined else { return false }
        let (found, expected) = (unit.folded, own.folded)
        // The last word may be a beginning, and the last emoji have others joined to it.
        let mayContinue = index == units.units.count - 1 && (isPrefix || own.kind == .character)
        guard mayContinue ? found.count >= expected.count : found.count == expected.count else { return false }
        guard bytes[found].prefix(expected.count).elementsEqual(wanted[expected]) else { return false }
        return found.count == expected.count || own.kind == .word
            || bytes[found].dropFirst(expected.count).starts(with: EmojiScalar.joinerBytes)
    }
}
