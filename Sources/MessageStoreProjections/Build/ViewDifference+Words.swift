/// A row that differs, in words.
package struct ViewDifferenceWords: Sendable {
    /// A part of both rows.
    package struct Part: Sendable {
        package let name: String
        /// The value that is served; nil where the row lacks the part.
        package let live: String?
        /// The value that the replay gives; nil where the row lacks the part.
        package let rebuilt: String?
    }

    /// The parts of the key; nil where it cannot be decoded.
    package let key: [(name: String, value: String)]?
    /// The parts that differ; nil where a row cannot be decoded.
    package let parts: [Part]?
}

extension ViewDifference {
    /// The key and the rows; of long keys that are stored together the first whose rows differ.
    private var firstDifference: (key: [UInt8], live: [UInt8]?, rebuilt: [UInt8]?) {
        let (one, other) = (longRows(live), longRows(rebuilt))
        guard
            let key = (one + other).first(where: { pair in
                one.first { $0.key == pair.key }?.row != other.first { $0.key == pair.key }?.row
            })?.key
        else { return (key, live, rebuilt) }
        return (key, one.first { $0.key == key }?.row, other.first { $0.key == key }?.row)
    }

    private func longRows(_ stored: [UInt8]?) -> [(key: [UInt8], row: [UInt8])] {
        stored.flatMap { try? LongKeyRows($0.span.bytes, at: key.span.bytes).whole } ?? []
    }

    /// The key and what differs, in words.
    ///
    /// Ids are shown; of names and other words of people only the length unless `hasContent` says otherwise.
    package func words(_ symbols: SymbolTable, hasContent: Bool = false) -> ViewDifferenceWords {
        let (key, live, rebuilt) = firstDifference
        guard let (kind, keyTexts) = declaration.words.texts(of: key.span.bytes) else {
            return ViewDifferenceWords(key: nil, parts: nil)
        }
        let words = { (text: RowPartText) in text.value.words(symbols, hasContent: hasContent) }
        let keyWords = keyTexts.map { (name: $0.name, value: words($0)) }
        // A row that is not there has no parts.
        guard let live = live.map({ kind.rowTexts($0.span.bytes) }) ?? [],
            let rebuilt = rebuilt.map({ kind.rowTexts($0.span.bytes) }) ?? []
        else { return ViewDifferenceWords(key: keyWords, parts: nil) }
        // A row that lacks parts lacks its last ones.
        let parts = (0..<max(live.count, rebuilt.count)).compactMap { index -> ViewDifferenceWords.Part? in
            let one = index < live.count ? live[index] : nil
            let other = index < rebuilt.count ? rebuilt[index] : nil
            guard one != other, let name = one?.name ?? other?.name else { return nil }
            return ViewDifferenceWords.Part(name: name, live: one.map(words), rebuilt: other.map(words))
        }
        return ViewDifferenceWords(key: keyWords, parts: parts)
    }
}
