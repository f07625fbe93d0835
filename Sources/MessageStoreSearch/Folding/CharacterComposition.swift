/// The characters of Unicode's canonical composition that a text can also have in parts: voiced kana, and syllables of
/// Hangul. Folding takes precomposed ones as they are, so it must compose the parts.
enum CharacterComposition {
    /// The character that two scalars make together; nil if they stay two.
    @inline(__always)
    static func compose(_ first: UInt32, _ second: UInt32) -> UInt32? {
        switch second {
        case 0x3099: voiced(first)
        case 0x309A: halfVoiced(first)
        case 0x1161...0x1175: syllable(consonant: first, vowel: second)
        case 0x11A8...0x11C2: syllable(open: first, final: second)
        default: nil
        }
    }

    /// The kana with a sound mark (dakuten), as が of か.
    private static func voiced(_ kana: UInt32) -> UInt32? {
        switch kana {
        // か to ぢ and つ to ど, each with its voiced form next to it, and the same of katakana.
        case 0x304B...0x3061, 0x30AB...0x30C1: kana.isMultiple(of: 2) ? nil : kana + 1
        case 0x3064, 0x3066, 0x3068, 0x30C4, 0x30C6, 0x30C8: kana + 1
        case 0x306F...0x307B, 0x30CF...0x30DB: kana.isMultiple(of: 3) ? kana + 1 : nil
        case 0x3046, 0x30A6: kana + 0x4E  // う, ウ
        case 0x309D, 0x30FD: kana + 1  // ゝ, ヽ
        case 0x30EF...0x30F2: kana + 8  // ワ to ヲ
        default: nil
        }
    }

    /// The kana with a half-voiced sound mark (handakuten), as ぱ of は.
    private static func halfVoiced(_ kana: UInt32) -> UInt32? {
        switch kana {
        case 0x306F...0x307B, 0x30CF...0x30DB: kana.isMultiple(of: 3) ? kana + 2 : nil
        default: nil
        }
    }

    private static let syllables: UInt32 = 0xAC00
    private static let vowelCount: UInt32 = 21
    /// How many finals a syllable can have, with none as the first.
    private static let finalCount: UInt32 = 28

    private static func syllable(consonant: UInt32, vowel: UInt32) -> UInt32? {
        guard (0x1100...0x1112).contains(consonant) else { return nil }
        return syllables + ((consonant - 0x1100) * vowelCount + vowel - 0x1161) * finalCount
    }

    private static func syllable(open: UInt32, final: UInt32) -> UInt32? {
        guard (0xAC00...0xD7A3).contains(open), (open - syllables).isMultiple(of: finalCount) else { return nil }
        return open + final - 0x11A7
    }
}

/// The foldings of all scalars, looked up in two steps: the page of 256 scalars, and the entry in it.
///
/// Made once from ``FoldingTable`` and kept until the process ends. Pages whose scalars all have one class and fold to
/// themselves, which most are, share one page of that class.
struct ScalarFoldings: @unchecked Sendable {
    /// The folding of a scalar, in 16 bits: the class in the lower two, the place of the results in the others; 0 if
    /// the scalar folds to itself.
    struct Entry {
        fileprivate var bits: UInt16

        /// Whether the scalar folds to itself.
        var isSame: Bool { bits < 4 }

        /// The class of the scalar, or of its result if that is one scalar.
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
