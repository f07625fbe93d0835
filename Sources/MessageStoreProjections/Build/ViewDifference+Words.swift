@_spi(Storage) package import MessageStoreLog

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
    /// The key and what differs, in words.
    ///
    /// Ids are shown; of names and other words of people only the length unless `hasContent` says otherwise.
    package func words(_ symbols: SymbolTable, hasContent: Bool = false) -> ViewDifferenceWords {
        if let description = declaration.description { return words(description) }
        guard let kind = table.rowKinds.first(where: { $0.has(key.span.bytes) }),
            let keyTexts = kind.keyTexts(key.span.bytes)
        else {
            return ViewDifferenceWords(key: nil, parts: nil)
        }
        let keyWords = keyTexts.map { (name: $0.name, value: $0.value.words(symbols, hasContent: hasContent)) }
        guard let live = Self.texts(live, kind.row), let rebuilt = Self.texts(rebuilt, kind.row) else {
            return ViewDifferenceWords(key: keyWords, parts: nil)
        }
        // A row that lacks parts lacks its last ones.
        var parts: [ViewDifferenceWords.Part] = []
        for index in 0..<max(live.count, rebuilt.count) {
            let one = index < live.count ? live[index] : nil
            let other = index < rebuilt.count ? rebuilt[index] : nil
            guard one != other, let name = one?.name ?? other?.name else { continue }
            parts.append(
                ViewDifferenceWords.Part(
                    name: name, live: one?.value.words(symbols, hasContent: hasContent),
                    rebuilt: other?.value.words(symbols, hasContent: hasContent)))
        }
        return ViewDifferenceWords(key: keyWords, parts: parts)
    }

    private func words(_ description: TableDescription) -> ViewDifferenceWords {
        let keyParts = description.keyParts(key.span.bytes)
        let live = live.map { description.rowParts($0.span.bytes) }
        let rebuilt = rebuilt.map { description.rowParts($0.span.bytes) }
        let parts = description.fields.indices.compactMap { index -> ViewDifferenceWords.Part? in
            let (one, other) = (live?[index].value, rebuilt?[index].value)
            return one == other
                ? nil : ViewDifferenceWords.Part(name: description.fields[index].name, live: one, rebuilt: other)
        }
        return ViewDifferenceWords(key: keyParts?.map { (name: $0.name, value: $0.value ?? "none") }, parts: parts)
    }

    /// The parts of a row; none where there is no row, nil where it cannot be decoded.
    private static func texts(_ row: [UInt8]?, _ type: any ViewRow.Type) -> [RowPartText]? {
        guard let row else { return [] }
        return type.texts(of: row.span.bytes)
    }
}
