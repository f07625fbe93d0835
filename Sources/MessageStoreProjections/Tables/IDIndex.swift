/// The beginning of the keys of an index by id, in a table whose other keys are numbers of users or conversations: no
/// number.
enum IDIndex: UInt32, RowValue, ViewKey {
    typealias Stored = UInt32
    case index = 0xFFFF_FFFF

    init() { self = .index }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &self)
    }
}

/// The key of the one row about all users or conversations, in a table whose other keys are their numbers.
enum AllKey: UInt32, RowValue, ViewKey {
    typealias Stored = UInt32
    case all = 0

    init() { self = .all }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("all", &self)
    }
}
