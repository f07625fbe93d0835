/// The parts of a row type: names and types, in the order of its bytes.
package struct RowLayout: Sendable, CustomStringConvertible {
    /// A part of a row.
    package struct Part: Sendable {
        /// The name.
        package let name: String
        /// The type, as the document of the format names it.
        package let type: String
        /// The bytes; nil where rows differ in it.
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
