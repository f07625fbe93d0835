extension String {
    /// The characters that ranges of the UTF-8 are of, whole; ranges that touch are one.
    ///
    /// - Parameter places: In their order.
    func wholeCharacters(_ places: [Range<Int>]) -> [Range<Index>] {
        var found: [Range<Index>] = []
        for place in places {
            let known = found.last?.upperBound ?? startIndex
            let start = characterStart(place.lowerBound, from: known)
            let end = max(start, utf8.index(startIndex, offsetBy: place.upperBound))
            let last = characterStart(place.upperBound, from: start)
            // `last` is mostly marked as the beginning of a character, and `end`, which may be equal, is not.
            let range = start..<(last < end ? index(after: last) : last)
            if start == known, let joined = found.popLast() {
                found.append(joined.lowerBound..<range.upperBound)
            } else {
                found.append(range)
            }
        }
        return found
    }

    /// The beginning of the character that has a byte; `known` is one that is not above it, or is the answer.
    private func characterStart(_ offset: Int, from known: Index) -> Index {
        let place = utf8.index(startIndex, offsetBy: offset)
        guard place > known else { return known }
        // From a place where surely one begins, mostly this one: long texts are not walked from their beginning.
        var start = place
        while start > known, !isBetweenPlainScalars(start) { start = utf8.index(before: start) }
        // So is `known`: without the mark each step would look for its character from the beginning of the text.
        if start <= known { start = known }
        while start < place {
            let next = index(after: start)
            guard next <= place else { break }
            start = next
        }
        return start
    }

    /// Whether the scalars on both sides are ASCII or of Han, which never join.
    private func isBetweenPlainScalars(_ place: Index) -> Bool {
        guard place > startIndex, place < endIndex else { return true }
        let (before, next) = (utf8[utf8.index(before: place)], utf8[place])
        guard next < 0x80 && !(before == 0x0D && next == 0x0A) || Self.isLeadOfHan(next) else { return false }
        guard before >= 0x80 else { return true }
        guard let lead = utf8.index(place, offsetBy: -3, limitedBy: startIndex) else { return false }
        return Self.isLeadOfHan(utf8[lead])
    }

    /// Whether a byte of UTF-8 begins a scalar from 4000 to 9FFF.
    private static func isLeadOfHan(_ byte: UInt8) -> Bool { 0xE4...0xE9 ~= byte }
}
