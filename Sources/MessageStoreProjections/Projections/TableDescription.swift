@_spi(Storage) package import MessageStoreLog

/// What keys and rows of a host's table hold, as it is kept beside the rows for those who do not have the host's code.
package struct TableDescription: Hashable, Sendable {
    /// The name in the views' environment.
    package let name: String
    package let key: [KeyColumn]
    package let fields: [FieldDescription]

    /// What is wrong with the description, as the end of a sentence; nil where it can be used.
    var problem: String? {
        guard (1...8).contains(key.count) else { return "has \(key.count) key columns; 1 to 8 are allowed" }
        var numbers: Set<UInt32> = []
        for field in fields {
            guard field.part == .fields, let number = field.number else {
                return "has \(field.name) in an envelope or content, which rows do not have"
            }
            let own = field.numbers
            let canBeEmpty = field.type.isList || field.type.kind == .pairs || field.type.kind == .bool
            guard !field.type.isOptional || !canBeEmpty else {
                return
                    "has the optional field \(field.name), which without a value could not be told from an empty or false one"
            }
            guard own.allSatisfy({ (1...63).contains($0) }) else {
                return "has the field \(field.name) with the number \(number); 1 to 63 are allowed"
            }
            guard own.allSatisfy({ numbers.insert($0).inserted }) else {
                return "has the number \(number) of \(field.name) twice"
            }
        }
        return nil
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
            nested.field(2, UInt64(column.kind.rawValue))
            writer.field(2, nested.bytes)
        }
        for field in fields {
            var nested = FieldWriter()
            nested.field(1, field.name)
            nested.field(2, UInt64(field.number ?? 0))
            nested.field(3, field.type.kind.rawValue)
            nested.field(4, field.type.isOptional)
            nested.field(5, field.type.isList)
            writer.field(3, nested.bytes)
        }
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
                let part = FieldReader(field.bytes)
                guard let name = part.first(1)?.string, let number = part.first(2)?.number,
                    let kind = FieldType.Kind(rawValue: part.first(3)?.string ?? "")
                else { return nil }
                fields.append(
                    FieldDescription(
                        name: name, part: .fields, number: UInt32(truncatingIfNeeded: number),
                        place: nil,
                        type: FieldType(
                            kind, isOptional: part.first(4)?.number == 1, isList: part.first(5)?.number == 1)))
            default: break
            }
        }
        guard let name, !reader.isMalformed else { return nil }
        self.init(name: name, key: key, fields: fields)
    }
}
