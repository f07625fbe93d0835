/// What each scalar folds to, looked up in two steps: the page of 256 scalars, and the entry in it.
///
/// Made once from ``FoldingTable`` and kept until the process ends. Pages whose scalars all have one class and fold to
/// themselves, which most are, share one page of that class.
struct ScalarFoldings: @unchecked Sendable {
    /// What a scalar folds to, in 16 bits: the class in the lower two, and in the others where the results are; 0
    /// where the scalar folds to itself.
    struct Entry {
        fileprivate var bits: UInt16

        /// Whether the scalar folds to itself.
        var isSame: Bool { bits < 4 }

        /// The class of the scalar, or of its result where that is one scalar.
        var scalarClass: ScalarClass { ScalarClass(rawValue: bits & 3) ?? .separator }

        fileprivate var resultIndex: Int { Int(bits >> 2) }
    }

    static let shared = ScalarFoldings()

    /// The folded byte of each byte of ASCII; 0 for separators and all other bytes.
    let ascii: UnsafePointer<UInt8>
    private let starts: UnsafePointer<UInt32>
    private let entries: UnsafePointer<UInt16>
    private let results: UnsafePointer<UInt32>

    // Nothing changes or frees the memory: this is for `shared` alone.
    private init() {
        let pages = ScalarPages()
        starts = Self.copy(pages.starts)
        entries = Self.copy(pages.entries)
        results = Self.copy(pages.results)
        ascii = Self.copy(
            (UInt32(0)..<256).map { byte in
                guard byte < 128 else { return 0 }
                let entry = Entry(bits: pages.entries[pages.entryIndex(of: byte)])
                guard entry.scalarClass == .word else { return 0 }
                return UInt8(entry.isSame ? byte : pages.results[entry.resultIndex])
            })
    }

    private static func copy<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        for (index, element) in elements.enumerated() { (copy + index).initialize(to: element) }
        return UnsafePointer(copy)
    }

    /// The entry of a scalar, which must be at most 10FFFF.
    @inline(__always)
    subscript(scalar: UInt32) -> Entry {
        Entry(bits: entries[Int(starts[Int(scalar >> 8)] + scalar & 0xFF)])
    }

    /// The scalars that an entry which is not the same folds to.
    @inline(__always)
    func results(of entry: Entry) -> UnsafeBufferPointer<UInt32> {
        let index = entry.resultIndex
        return UnsafeBufferPointer(start: results + index, count: Int(results[index - 1]))
    }
}
