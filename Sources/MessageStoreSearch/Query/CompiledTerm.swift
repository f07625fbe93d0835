/// A term as it is looked up, and compared with texts.
struct CompiledTerm {
    /// What the index is asked for.
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

    /// - Returns: nil where the term has nothing that can be found.
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
