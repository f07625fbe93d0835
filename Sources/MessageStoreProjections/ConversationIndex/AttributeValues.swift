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

    /// Nothing where the bytes are no JSON object. A member that cannot be read is left out with all that is in it.
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

    /// The values of a row's field; what cannot be read has none.
    init(_ bytes: RawSpan) {
        var reader = RowReader(bytes)
        while let name = Self.string(&reader), let value = Self.value(&reader) { pairs.append((name, value)) }
    }

    /// The value of a name in the bytes of a row's field; nil where there is none. Others are read past.
    static func value(of name: RawSpan, in bytes: RawSpan) -> JSONValue? {
        var reader = RowReader(bytes)
        while let found = text(&reader) {
            if found.isEqual(to: name) { return value(&reader) }
            guard pass(&reader) else { return nil }
        }
        return nil
    }

    /// Reads past a value; false where there is none.
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
    /// The next number; nil where there is none.
    fileprivate mutating func next<Value: RowValue>(_ value: Value) -> Value? {
        var value = value
        part("number", &value)
        return isBroken ? nil : value
    }
}
