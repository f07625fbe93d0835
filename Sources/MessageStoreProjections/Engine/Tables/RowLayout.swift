/// The parts of a row type: names and types, in the order of its bytes.
package struct RowLayout: Sendable, CustomStringConvertible {
    /// A part of a row.
    package struct Part: Sendable {
        /// The name.
        package let name: String
        /// The type, as the document of the format names it.
        package let type: String
        /// The bytes; nil if rows differ in it.
        package let width: Int?
    }

    /// The parts.
    package private(set) var parts: [Part] = []

    /// The bytes that every row has at its beginning.
    package var fixedSize: Int {
        parts.reduce(into: (size: 0, isOpen: true)) { sum, part in
            sum.isOpen = sum.isOpen && part.width != nil
            if sum.isOpen { sum.size += part.width ?? 0 }
        }.size
    }

    /// The parts as the document of the format has them.
    package var description: String {
        parts.isEmpty ? "–" : parts.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
    }

    private mutating func add(_ name: StaticString, _ type: String, width: Int?) {
        parts.append(Part(name: name.description, type: type, width: width))
    }
}

extension RowLayout: RowParts {
    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        let bits = Value.bitNames.enumerated().map { "\(1 << $0.offset) \($0.element)" }
        add(
            name, Self.number(Value.self) + (bits.isEmpty ? "" : " (\(bits.joined(separator: ", ")))"),
            width: MemoryLayout<Value.Stored>.size)
    }

    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        add(name, Self.number(Value.self) + " big-endian", width: MemoryLayout<Value.Stored>.size)
    }

    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning) {
        let type =
            switch meaning {
            case .order: "order"
            case .id, .words: "string"
            default: "bytes"
            }
        add(name, type, width: nil)
    }

    mutating func string(_ name: StaticString, _ value: inout String) { add(name, "string", width: nil) }

    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) {
        add(name, "field \(number) \(kind.typeName)", width: nil)
    }

    mutating func continues(_ hasMore: Bool) -> Bool { true }

    private static func number<Value: RowValue>(_ type: Value.Type) -> String {
        (Value.Stored.isSigned ? "i" : "u") + "\(Value.Stored.bitWidth)"
    }
}

extension ViewRow {
    /// The parts of the rows.
    static var layout: RowLayout {
        var layout = RowLayout()
        var row = Self()
        row.describe(&layout)
        return layout
    }
}

/// The parts of keys and rows of a host's table; kept next to the rows for readers without the host's code.
package struct TableDescription: Hashable, Sendable {
    /// The name in the views' environment.
    package let name: String
    package let key: [KeyColumn]
    package let fields: [FieldDescription]

    /// The description's problem, as the end of a sentence; nil if it can be used.
    var problem: String? {
        guard (1...8).contains(key.count) else { return "has \(key.count) key columns; 1 to 8 are allowed" }
        if let part = key.first(where: { $0.name.isEmpty || $0.kind == nil }) {
            return "has a key part \(part.name) without a name, or with values that keys cannot have"
        }
        if let field = fields.first(where: { $0.part != .fields || $0.number == nil }) {
            return "has \(field.name) in an envelope or content, which rows do not have"
        }
        return FieldDescription.problem(of: fields, firstNumber: 1)
    }
}

extension TableDescription {
    /// The key of a table's description in the environment.
    static func key(of table: String) -> [UInt8] { Array("table \(table)".utf8) }

    /// The description as numbered fields.
    var bytes: [UInt8] {
        var writer = FieldWriter()
        writer.field(1, name)
        for column in key {
            var nested = FieldWriter()
            nested.field(1, column.name)
            nested.field(2, UInt64(column.kind?.rawValue ?? 0))
            writer.field(2, nested.bytes)
        }
        for field in fields { writer.field(3, field.bytes) }
        return writer.bytes
    }

    /// Reads a description; nil for bytes that are none.
    init?(_ bytes: RawSpan) {
        var reader = FieldReader(bytes)
        var name: String?
        var key: [KeyColumn] = []
        var fields: [FieldDescription] = []
        while let field = reader.next() {
            switch field.id {
            case 1: name = field.string
            case 2:
                let column = FieldReader(field.bytes)
                guard let name = column.first(1)?.string,
                    let kind = KeyColumn.Kind(rawValue: UInt8(truncatingIfNeeded: column.first(2)?.number ?? 0))
                else { return nil }
                key.append(KeyColumn(name, kind))
            case 3:
                guard let description = FieldDescription(FieldReader(field.bytes)) else { return nil }
                fields.append(description)
            default: break
            }
        }
        guard let name, !reader.isMalformed else { return nil }
        self.init(name: name, key: key, fields: fields)
    }
}

extension TableDescription: RowWords {
    func keyTexts(_ key: RawSpan) -> [RowPartText]? {
        guard let fields = self.key.fields(of: key) else { return nil }
        let described = zip(UInt32(1)..., self.key).compactMap { number, column in
            column.kind.map {
                FieldDescription(name: column.name, part: .fields, number: number, place: nil, type: $0.fieldType)
            }
        }
        return described.map { RowPartText($0, in: fields) }
    }

    func rowTexts(_ row: RawSpan) -> [RowPartText]? {
        let bytes = row.copied
        return fields.map { RowPartText($0, in: bytes) }
    }
}

extension RowPartText {
    fileprivate init(_ field: FieldDescription, in bytes: [UInt8]) {
        self.init(name: field.name, value: .plain(field.text(in: bytes) ?? "none"))
    }
}
