/// What a scanner of declarations needs to tell apart in Swift source text.
enum SwiftToken: Equatable {
    /// A keyword or an identifier.
    case word(String)
    /// An identifier in backticks, without them.
    case quotedWord(String)
    /// A string literal's text, interpolations left out.
    case string(String)
    /// Any other character; comments and `->` are left out.
    case symbol(Character)
}

/// Splits source text, as far as this library's own sources need it.
struct SwiftTokens: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position = 0
    /// Where the last token begins, in bytes.
    private(set) var start = 0

    init(_ source: String) { bytes = Array(source.utf8) }

    mutating func next() -> SwiftToken? {
        skipBlanksAndComments()
        let begin = position
        // Interpolations are scanned as well, before this is set.
        defer { start = begin }
        guard let byte = peek() else { return nil }
        if isQuote(at: position) { return .string(string()) }
        if byte == UInt8(ascii: "`") {
            position += 1
            defer { position += 1 }
            return .quotedWord(text { $0 != UInt8(ascii: "`") })
        }
        if Self.isWord(byte) { return .word(text(Self.isWord)) }
        position += 1
        return .symbol(Character(Unicode.Scalar(byte)))
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private func isNext(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { peek() == $0[0] && bytes[position...].starts(with: $0) }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private mutating func text(_ belongs: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = peek(), belongs(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipBlanksAndComments() {
        while let byte = peek() {
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
                position += 1
            } else if isNext("//") {
                _ = text { $0 != UInt8(ascii: "\n") }
            } else if isNext("->") {
                position += 2
            } else {
                return
            }
        }
    }
}

extension SwiftTokens {
    /// Whether a string literal begins here, with or without `#`.
    private func isQuote(at position: Int) -> Bool {
        var end = position
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"")
    }

    private mutating func string() -> String {
        let hashes = text { $0 == UInt8(ascii: "#") }
        let quotes = isNext("\"\"\"") ? 3 : 1
        position += quotes
        let end = Array((String(repeating: "\"", count: quotes) + hashes).utf8)
        let escape = Array(("\\" + hashes).utf8)
        var content: [UInt8] = []
        while let byte = peek(), byte != end[0] || !bytes[position...].starts(with: end) {
            guard byte == escape[0], bytes[position...].starts(with: escape) else {
                content.append(byte)
                position += 1
                continue
            }
            position += escape.count
            if peek() == UInt8(ascii: "(") {
                skipParentheses()
            } else {
                content.append(peek() ?? 0)
                position += 1
            }
        }
        position += end.count
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func skipParentheses() {
        var depth = 0
        repeat {
            switch next() {
            case .symbol("("): depth += 1
            case .symbol(")"): depth -= 1
            case nil: return
            default: break
            }
        } while depth > 0
    }
}
