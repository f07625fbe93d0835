@_spi(Storage) internal import MessageStoreLog

/// The key of a row of `conversationNumbers`: an attribute, its number, and a conversation that has it.
///
/// Rows of an attribute sort as its numbers do. A number that no `Double` is has the place of the nearest one, so that
/// different numbers can share a place, and the row holds the number itself.
struct AttributeNumberKey: ViewKey, Hashable {
    /// The longest name of which numbers are in the index: a key has few bytes.
    static let maximumNameBytes = 255

    private var name: [UInt8] = []
    private var number: UInt64 = 0
    private var conversation = ConversationNumber.none

    init() {}

    init(name: String, _ number: UInt64 = 0, _ conversation: ConversationNumber = .none) {
        self.name = Array(name.utf8)
        self.number = number
        self.conversation = conversation
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        var length = UInt8(clamping: name.count)
        parts.part("nameLength", &length, .length)
        parts.bytes("name", &name, count: Int(length), .words)
        parts.part("number", &number)
        parts.part("conversation", &conversation, .conversation)
    }

    /// The bytes with which the keys of the attribute begin.
    var beginning: [UInt8] { bytes.dropLast(12) }
}

/// A row of `conversationNumbers`: the number, where it was written as an integer; else the key says all.
struct AttributeNumber: ViewRow {
    var integer: Int64?

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        var value = integer ?? 0
        if parts.continues(integer != nil) {
            parts.part("integer", &value)
            integer = value
        }
    }
}

/// Numbers of an attribute between two places, both included.
struct AttributeNumbers {
    let name: String
    private(set) var first: UInt64
    private(set) var last: UInt64

    /// The numbers of an attribute that can fulfil a condition; nil where others, or all, can.
    init?(_ name: String, _ condition: ValueCondition) {
        guard name.utf8.count <= AttributeNumberKey.maximumNameBytes else { return nil }
        self.name = name
        (first, last) = (0, .max)
        switch condition {
        case .less(let value), .lessOrEqual(let value):
            guard let place = value.numberPlace else { return nil }
            last = place
        case .greater(let value), .greaterOrEqual(let value):
            guard let place = value.numberPlace else { return nil }
            first = place
        default: return nil
        }
    }

    /// Those that are between the places of others as well; nil where those are of another attribute.
    func intersection(_ other: AttributeNumbers) -> AttributeNumbers? {
        guard name.hasSameBytes(as: other.name) else { return nil }
        var both = self
        (both.first, both.last) = (max(first, other.first), min(last, other.last))
        return both
    }
}

extension JSONValue {
    /// Where a number is in the order of numbers: below the place of every greater one, but where both round to the same
    /// `Double`. 0 and −0 are one number. nil for what is no number, to which none compares.
    var numberPlace: UInt64? {
        let number: Double
        switch self {
        case .integer(let integer): number = Double(integer)
        case .number(let double) where !double.isNaN: number = double
        default: return nil
        }
        // −0 + 0 is 0.
        let bits = (number + 0).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    /// The number at a place.
    init(numberPlace place: UInt64) {
        self = .number(Double(bitPattern: place >> 63 == 1 ? place & ~(1 << 63) : ~place))
    }
}

extension ConversationInfo {
    /// The rows by which the conversation is found by its numbers. An attribute that the host sets as a string has no number.
    func numbers(of conversation: ConversationNumber) -> [AttributeNumberKey: AttributeNumber] {
        var rows: [AttributeNumberKey: AttributeNumber] = [:]
        for (name, value) in values.pairs where name.utf8.count <= AttributeNumberKey.maximumNameBytes {
            guard let place = value.numberPlace,
                !indexed.keys.contains(where: { $0.hasSameBytes(as: name) })
            else {
                continue
            }
            var row = AttributeNumber()
            if case .integer(let integer) = value { row.integer = integer }
            rows[AttributeNumberKey(name: name, place, conversation)] = row
        }
        return rows
    }
}

extension ViewSnapshot {
    /// Calls `body` with the listed conversations that have some numbers, and with their numbers, until it returns
    /// false.
    borrowing func forEachConversation(
        with numbers: AttributeNumbers, _ body: (ConversationNumber, JSONValue) throws -> Bool
    ) throws {
        let table = ConversationList.numbers
        let start = AttributeNumberKey(name: numbers.name, numbers.first)
        let beginning = start.beginning
        var cursor = try rows(table, from: start)
        while try cursor.next(), let rest = cursor.key.removing(beginning) {
            guard rest.byteCount == 12, let place = rest.loadBigEndian(at: 0, as: UInt64.self),
                let conversation = rest.loadBigEndian(at: 8, as: UInt32.self)
            else { throw StoreError.unreadableRow(of: table.place, at: cursor.key) }
            guard place <= numbers.last else { return }
            let integer = try cursor.row(of: table).integer
            let value = integer.map { JSONValue.integer($0) } ?? JSONValue(numberPlace: place)
            guard try body(ConversationNumber(rawValue: conversation), value) else { return }
        }
    }
}
