/// Folds one text: reads its UTF-8, and collects the units.
struct TextFolder {
    private enum State {
        /// A separator, or the beginning of the text, was read last. There is no open unit.
        case separated
        /// The open unit is a word, which can grow.
        case inWord
        /// The open unit is a character, which only ignorable scalars and parts of the same character extend.
        case inCharacter
    }

    /// The scalar that continues the open character.
    private enum Continuation {
        case none
        /// The second half of a flag.
        case regionalIndicator
        /// An emoji, as the last scalar was a joiner.
        case pictograph
    }

    var bytes: [UInt8] = []
    var units: [FoldedText.Unit] = []

    private let foldings = ScalarFoldings.shared
    private var state = State.separated
    // The open unit, which is appended to `units` when it ends.
    private var isJoined = false
    private var foldedStart = 0
    private var source = 0..<0
    /// The scalar of the open unit, if it is a character; of several the last.
    private var character: UInt32 = 0
    private var continuation = Continuation.none

    mutating func fold(_ text: UnsafeRawBufferPointer) {
        bytes.removeAll(keepingCapacity: true)
        units.removeAll(keepingCapacity: true)
        // The need of most texts, so that the arrays do not grow step by step.
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte >= 0x80 {
                index = foldScalar(of: text, at: index)
            } else if foldings.ascii[Int(byte)] != 0 {
                index = foldWord(of: text, at: index)
            } else if EmojiScalar.beginsKeycap(byte), let keycap = EmojiScalar.keycap(in: text, at: index) {
                begin(.inCharacter, at: index..<keycap.end)
                bytes += keycap.folded
                character = UInt32(byte)
                index = keycap.end
            } else {
                separate()
                index += 1
            }
        }
        separate()
    }

    /// Folds a run of letters and digits of ASCII; returns the index after it.
    private mutating func foldWord(of text: UnsafeRawBufferPointer, at start: Int) -> Int {
        if state != .inWord { begin(.inWord, at: start..<start) }
        let ascii = foldings.ascii
        var end = start + 1
        while end < text.count, ascii[Int(text[end])] != 0 { end += 1 }
        // All at once, as an array checks its space at each call.
        let first = bytes.count
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<end]))
        bytes.withUnsafeMutableBufferPointer { bytes in
            for index in first..<bytes.count { bytes[index] = ascii[Int(bytes[index])] }
        }
        source = source.lowerBound..<end
        return end
    }

    /// Folds a scalar that is not ASCII; returns the index after it.
    private mutating func foldScalar(of text: UnsafeRawBufferPointer, at start: Int) -> Int {
        guard let (scalar, length) = UTF8Scalar.decode(text, at: start) else {
            separate()
            return start + 1
        }
        let range = start..<start + length
        if Self.isCommonCharacter(scalar) {
            add(scalar, .character, range)
        } else {
            fold(scalar, range)
        }
        return range.upperBound
    }

    /// Whether a scalar lies in the blocks that whole texts are written with, is a character, and folds to itself.
    @inline(__always)
    private static func isCommonCharacter(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x4E00...0x9FFF: true  // Han
        case 0x3041...0x3096, 0x30A1...0x30FA: true  // kana
        case 0xAC00...0xD7A3: true  // syllables of Hangul
        default: false
        }
    }

    private mutating func fold(_ scalar: UInt32, _ range: Range<Int>) {
        let folding = foldings[scalar]
        guard !folding.isSame else { return add(scalar, folding.scalarClass, range) }
        let results = foldings.results(of: folding)
        if results.count == 1 {
            add(results[0], folding.scalarClass, range)
        } else {
            for result in results { add(result, foldings[result].scalarClass, range) }
        }
    }

    /// Adds a folded scalar; `range` are the bytes of the text that it came from.
    @inline(__always)
    private mutating func add(_ scalar: UInt32, _ scalarClass: ScalarClass, _ range: Range<Int>) {
        switch scalarClass {
        case .separator: separate()
        case .ignorable:
            guard state != .separated else { return }
            source = source.lowerBound..<range.upperBound
            if state == .inCharacter { extendCharacter(scalar) }
        case .word:
            if state != .inWord { begin(.inWord, at: range) }
            source = source.lowerBound..<range.upperBound
            UTF8Scalar.append(scalar, to: &bytes)
        case .character: addCharacter(scalar, range)
        }
    }

    @inline(__always)
    private mutating func addCharacter(_ scalar: UInt32, _ range: Range<Int>) {
        if state == .inCharacter, let composed = CharacterComposition.compose(character, scalar) {
            bytes.removeSubrange(foldedStart...)
            source = source.lowerBound..<range.upperBound
            character = composed
        } else {
            if continuation == .none || !continues(with: scalar) {
                begin(.inCharacter, at: range)
                if EmojiScalar.isRegionalIndicator(scalar) { continuation = .regionalIndicator }
            } else {
                source = source.lowerBound..<range.upperBound
            }
            character = scalar
        }
        UTF8Scalar.append(character, to: &bytes)
    }

    /// Whether a scalar belongs to the emoji that is open, which has no further one then.
    private mutating func continues(with scalar: UInt32) -> Bool {
        defer { continuation = .none }
        switch continuation {
        case .none: return false
        case .regionalIndicator: return EmojiScalar.isRegionalIndicator(scalar)
        case .pictograph:
            guard EmojiScalar.isPictograph(scalar) else { return false }
            bytes += EmojiScalar.joinerBytes
            return true
        }
    }

    /// Notes the effect of an ignorable scalar on the emoji before it.
    private mutating func extendCharacter(_ scalar: UInt32) {
        continuation = .none
        guard EmojiScalar.isPictograph(character) else { return }
        if scalar == EmojiScalar.joiner { continuation = .pictograph }
        if EmojiScalar.isTag(scalar) { UTF8Scalar.append(scalar, to: &bytes) }
    }

    private mutating func begin(_ state: State, at range: Range<Int>) {
        let isJoined = self.state != .separated
        if isJoined { endUnit() }
        self.state = state
        self.isJoined = isJoined
        foldedStart = bytes.count
        source = range
    }

    @inline(__always)
    private mutating func separate() {
        if state != .separated { endUnit() }
        state = .separated
    }

    private mutating func endUnit() {
        continuation = .none
        units.append(
            FoldedText.Unit(
                kind: state == .inWord ? .word : .character, isJoined: isJoined, folded: foldedStart..<bytes.count,
                source: source))
    }
}

/// The rules by which texts and queries are folded; `Docs/Search.md` explains them.
package enum FoldingRules {
    /// Changes with each change after which a text can fold into other units. An index that was made by other rules
    /// must be made again.
    package static let version: UInt32 = 2
    /// The version of Unicode that ``FoldingTable`` was generated from.
    package static let unicodeVersion = FoldingTable.unicodeVersion
    /// How much of a text is folded, in bytes of UTF-8.
    package static let maximumTextBytes = 65_536
}

/// The class of a folded scalar in the search.
enum ScalarClass: UInt16 {
    /// Ends a unit.
    case separator = 0
    /// Leaves no trace: neither separates nor joins.
    case ignorable = 1
    /// Continues a word, or begins one.
    case word = 2
    /// Is a unit by itself.
    case character = 3
}
