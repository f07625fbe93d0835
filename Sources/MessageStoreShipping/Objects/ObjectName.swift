/// The names of shipped objects. `Docs/Format.md` lists them.
enum ObjectName {
    /// The name of the note on the store that ships here first.
    static let first = "first"
    /// All logs of stores that shipped here.
    static let logs = "logs/"

    static func log(of store: String) -> String { logs + store + "/" }

    /// Segments by their first position, so that exactly one writer continues a log at a position.
    static func segments(of store: String) -> String { log(of: store) + "segments/" }
    static func segment(of store: String, from first: Position) -> String {
        segments(of: store) + number(first.rawValue)
    }

    /// Bases by their position: pieces, and at last a manifest.
    static func bases(of store: String) -> String { log(of: store) + "bases/" }
    /// A name of its own for each attempt, so that no manifest is one of another attempt's pieces.
    static func newBase(of store: String, at position: Position) -> String {
        bases(of: store) + number(position.rawValue) + "/" + number(UInt64.random(in: .min ... .max)) + "/"
    }
    static let manifest = "manifest"

    static func erasures(of store: String) -> String { log(of: store) + "erasures/" }
    /// Up to which ledger erased words were taken out of the place.
    static func erased(of store: String) -> String { log(of: store) + "erased" }
    static func page(of store: String) -> String { log(of: store) + "page" }

    /// Numbers whose order is that of their names.
    static func number(_ number: some BinaryInteger) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 20 - digits.count)) + digits
    }

    /// The number that a part of a name is; nil if it is another word, or beyond the positions of a log.
    static func number(_ part: Substring) -> UInt64? {
        guard part.utf8.count == 20, let number = UInt64(part), number > 0, number < Position.limit else { return nil }
        return number
    }

    /// The number that a name ends with.
    static func lastNumber(of name: String) -> UInt64? { name.split(separator: "/").last.flatMap { number($0) } }

    /// Whether a shipper gives such a name: other files in a folder are somebody else's.
    static func isOwn(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if name == first { return true }
        guard parts.count > 2, parts[0] + "/" == logs, isStore(String(parts[1])) else { return false }
        switch (parts[2], parts.count) {
        case ("erased", 3), ("page", 3): return true
        case ("segments", 4), ("erasures", 4): return number(parts[3]) != nil
        case ("bases", 6):
            return number(parts[3]) != nil && isDigits(parts[4]) && (parts[5] == manifest || isDigits(parts[5]))
        default: return false
        }
    }

    private static func isDigits(_ part: Substring) -> Bool {
        part.utf8.count == 20 && part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    /// Whether a word is the name of a store: 32 hexadecimal digits.
    static func isStore(_ word: String) -> Bool { word.utf8.count == 32 && word.allSatisfy(\.isHexDigit) }
}
