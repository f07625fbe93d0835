/// The names of shipped objects. `Docs/Beyond.md` lists them.
enum ObjectName {
    /// Which store ships here first.
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

    /// The number that a name ends with; nil where it ends otherwise.
    static func lastNumber(of name: String) -> UInt64? {
        name.split(separator: "/").last.flatMap { UInt64($0) }
    }
}
