/// Which bytes of a page its nodes take, in units of two: nodes begin at even offsets.
struct PageRoom: ~Copyable {
    private let words: UnsafeMutablePointer<UInt64>
    private let wordCount: Int
    /// Bytes taken since the last ``clear()``.
    private(set) var taken = 0

    init(pageSize: Int) {
        wordCount = (pageSize / 2 + 63) / 64
        words = .allocate(capacity: wordCount)
        words.initialize(repeating: 0, count: wordCount)
    }

    deinit { words.deallocate() }

    mutating func clear() {
        words.update(repeating: 0, count: wordCount)
        taken = 0
    }

    /// Takes an even number of bytes in the page, at least 2; answers whether all of them were free.
    mutating func take(_ offset: Int, _ count: Int) -> Bool {
        let (first, last) = (offset / 2, (offset + count) / 2 - 1)
        var isFree = true
        for word in first / 64...last / 64 {
            let low = word == first / 64 ? first & 63 : 0
            let high = word == last / 64 ? last & 63 : 63
            let mask = (UInt64.max << UInt64(low)) & (UInt64.max >> UInt64(63 - high))
            isFree = isFree && words[word] & mask == 0
            words[word] |= mask
        }
        taken += count
        return isFree
    }
}
