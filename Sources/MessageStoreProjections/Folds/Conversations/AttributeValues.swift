@_spi(Storage) internal import MessageStoreLog

/// The attributes of a conversation that queries can ask for, taken from a JSON object.
///
/// Values are strings, numbers, booleans, and lists of them. Objects are taken apart: `{"a": {"b": 1}}` gives `a.b`. A
/// name that is spelled with dots goes before a path that reads alike.
struct AttributeValues: Equatable {
    /// The most values of one conversation: each is a row of the index.
    static let maximumCount = 1000
    /// The longest name: paths repeat the names before them.
    static let maximumNameBytes = 1024

    /// In the order of their names' bytes, each name once.
    private(set) var pairs: [(name: String, value: JSONValue)] = []

    init() {}

    /// Nothing if the bytes are no JSON object. A member that cannot be read is left out with all that is in it.
    init(json bytes: [UInt8]) {
        // Most bytes that are no object are recognised without the decoder.
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        guard bytes.first(where: { !blanks.contains($0) }) == UInt8(ascii: "{"),
            let object = try? JSONBytes.members(of: bytes)
        else { return }
        var found: [Found] = []
        Self.collect(object, [], &found)
        found.sort { first, second in
            if !first.name.hasSameBytes(as: second.name) {
                return first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
            }
            return (first.depth, first.index) < (second.depth, second.index)
        }
        for entry in found where pairs.last.map({ $0.name.hasSameBytes(as: entry.name) }) != true {
            pairs.append((entry.name, entry.value))
        }
    }

    /// A value, and in which object within objects it was found, in which turn.
    private struct Found {
        let name: String
        let depth: Int
        let index: Int
        let value: JSONValue
    }

    /// Goes through the names in the order of their bytes, so that the same is found each time.
    private static func collect(_ object: [String: JSONValue], _ path: [String], _ found: inout [Found]) {
        for (key, value) in object.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard found.count < maximumCount else { return }
            let path = path + [key]
            if case .object(let inner) = value {
                collect(inner, path, &found)
                continue
            }
            guard value != .null, path.reduce(path.count - 1, { $0 + $1.utf8.count }) <= maximumNameBytes else {
                continue
            }
            var value = value
            if case .array(let elements) = value { value = .array(elements.filter(\.isScalar)) }
            let name = path.joined(separator: ".")
            found.append(Found(name: name, depth: path.count, index: found.count, value: value))
        }
    }

    static func == (first: Self, second: Self) -> Bool { first.bytes == second.bytes }
}

extension AttributeValues {
    private enum Code: UInt8 { case no = 0, yes, integer, number, string, list }

    /// The values of a row's field; unreadable bytes have none.
    init(_ bytes: RawSpan) {
        var reader = RowReader(bytes)
        while let name = Self.string(&reader), let value = Self.value(&reader) { pairs.append((name, value)) }
    }

    /// The value of a name in the bytes of a row's field; nil if there is none. Others are read past.
    static func value(of name: RawSpan, in bytes: RawSpan) -> JSONValue? {
        var reader = RowReader(bytes)
        while let found = text(&reader) {
            if found.isEqual(to: name) { return value(&reader) }
            guard pass(&reader) else { return nil }
        }
        return nil
    }

    /// Reads past a value; false if there is none.
    private static func pass(_ reader: inout RowReader, isElement: Bool = false) -> Bool {
        switch reader.next(UInt8()).flatMap({ Code(rawValue: $0) }) {
        case .no, .yes: return true
        case .integer, .number: return reader.next(8) != nil
        case .string: return text(&reader) != nil
        case .list where !isElement:
            for _ in 0..<(reader.next(UInt32()) ?? 0) where !pass(&reader, isElement: true) { return false }
            return !reader.isBroken
        default: return false
        }
    }

    /// The form in rows: each name and its value, with their lengths.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        for (name, value) in pairs {
            Self.append(name, &writer)
            Self.append(value, &writer)
        }
        return writer.bytes.copied
    }

    private static func append(_ string: String, _ writer: inout ByteWriter) {
        writer.append(UInt32(clamping: string.utf8.count))
        writer.append(string)
    }

    private static func append(_ value: JSONValue, _ writer: inout ByteWriter) {
        switch value {
        case .bool(let bool): writer.append((bool ? Code.yes : .no).rawValue)
        case .integer(let integer):
            writer.append(Code.integer.rawValue)
            writer.append(integer)
        case .number(let number):
            writer.append(Code.number.rawValue)
            writer.append(number.bitPattern)
        case .string(let string):
            writer.append(Code.string.rawValue)
            append(string, &writer)
        case .array(let elements):
            writer.append(Code.list.rawValue)
            writer.append(UInt32(clamping: elements.count))
            for element in elements { append(element, &writer) }
        case .null, .object: break
        }
    }

    private static func string(_ reader: inout RowReader) -> String? { text(&reader)?.string }

    /// The bytes of a name or string, with their length before them.
    @_lifetime(copy reader)
    private static func text(_ reader: inout RowReader) -> RawSpan? {
        guard let count = reader.next(UInt32()) else { return nil }
        return reader.next(Int(count))
    }

    /// A list within a list is never written, so that broken bytes cannot nest without end.
    private static func value(_ reader: inout RowReader, isElement: Bool = false) -> JSONValue? {
        guard let code = reader.next(UInt8()).flatMap({ Code(rawValue: $0) }) else { return nil }
        switch code {
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .integer: return reader.next(Int64()).map { .integer($0) }
        case .number: return reader.next(UInt64()).map { .number(Double(bitPattern: $0)) }
        case .string: return string(&reader).map { .string($0) }
        case .list:
            guard !isElement, let count = reader.next(UInt32()) else { return nil }
            var elements: [JSONValue] = []
            for _ in 0..<count {
                guard let element = value(&reader, isElement: true) else { return nil }
                elements.append(element)
            }
            return .array(elements)
        }
    }
}

extension RowReader {
    /// The next number; nil if there is none.
    fileprivate mutating func next<Value: RowValue>(_ value: Value) -> Value? {
        var value = value
        part("number", &value)
        return isBroken ? nil : value
    }
}

/// The key of a row of `conversationNumbers`: an attribute, its number, and a conversation that has it.
///
/// Rows of an attribute sort as its numbers do. A number that no `Double` is has the place of the nearest one, so that
/// different numbers can share a place, and the row holds the number itself.
struct AttributeNumberKey: ViewKey, Hashable {
    /// The longest name whose numbers are in the index: a key has few bytes.
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

    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { { _ in 0 } }

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

    /// The numbers of an attribute that can fulfil a condition; nil if others, or all, can.
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

    /// The numbers that are between the places of others as well; nil if the others are of another attribute.
    func intersection(_ other: AttributeNumbers) -> AttributeNumbers? {
        guard name.hasSameBytes(as: other.name) else { return nil }
        var both = self
        (both.first, both.last) = (max(first, other.first), min(last, other.last))
        return both
    }
}

extension JSONValue {
    /// A number's place in the order of numbers: below the place of every greater one, unless both round to the same
    /// `Double`. 0 and −0 are one number. nil if the value is no number; no number compares to it.
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
            else { throw StoreError.unreadableRow(of: table.viewTable, at: cursor.key) }
            guard place <= numbers.last else { return }
            let integer = try cursor.row(of: table).integer
            let value = integer.map { JSONValue.integer($0) } ?? JSONValue(numberPlace: place)
            guard try body(ConversationNumber(rawValue: conversation), value) else { return }
        }
    }
}

extension RowField where Value == AttributeValues {
    static var attributeValues: Self {
        Self(typeName: "values") {
            $0 = AttributeValues($1.bytes)
        } write: { values, number, writer in
            if !values.pairs.isEmpty { writer.field(number, values.bytes) }
        } words: { values in
            let text = values.pairs.map { "\($0.name)=\($0.value.words)" }.joined(separator: " ")
            return values.pairs.isEmpty ? nil : .personal(text, byteCount: text.utf8.count)
        }
    }
}
