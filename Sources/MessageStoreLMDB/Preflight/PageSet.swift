/// A set of page numbers below a limit.
struct PageSet: ~Copyable {
    private let words: UnsafeMutablePointer<UInt64>
    private let limit: Int

    /// - Throws: ``FileError`` where there is no memory for it: the limit comes from a file.
    init(limit: Int, path: String) throws(FileError) {
        guard let memory = calloc(limit / 64 + 1, 8) else {
            throw FileError(operation: "check", path: path, errno: ENOMEM)
        }
        words = memory.bindMemory(to: UInt64.self, capacity: limit / 64 + 1)
        self.limit = limit
    }

    deinit { free(words) }

    /// Puts a number into the set; answers whether it is below the limit and was not there.
    mutating func insert(_ number: Int) -> Bool {
        guard number >= 0, number < limit else { return false }
        let bit: UInt64 = 1 << UInt64(number & 63)
        guard words[number >> 6] & bit == 0 else { return false }
        words[number >> 6] |= bit
        return true
    }
}
