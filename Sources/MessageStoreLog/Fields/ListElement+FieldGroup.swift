extension ListElement where Self: FieldGroup {
    /// A list of groups.
    public static var _listType: FieldType { FieldType(.group, isList: true) }
    /// The fields that the group reads.
    public static var _fields: [FieldDescription] { FieldLister.descriptions(of: Self.self) }
    /// Writes one group for each element.
    public static func _write(_ list: [Self], _ number: UInt32, to writer: inout FieldWriter) throws {
        for element in list {
            try writer.group(number) { group in
                var encoder = GroupWriter(fields: group)
                try element.encode(to: &encoder)
            }
        }
    }
    /// Reads every group of the number.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [Self]? {
        var elements: [Self] = []
        var fields = source.reader
        while let field = fields.next() {
            guard field.id == number else { continue }
            var reader = GroupReader(bytes: field.bytes.copied, symbols: source.symbols)
            elements.append(try Self(from: &reader))
        }
        return elements.isEmpty ? nil : elements
    }
    /// The first problem of an element's field.
    public static func _problem(_ list: [Self], _ rule: FieldRule) -> String? {
        var finder = ProblemFinder()
        for element in list where finder.problem == nil { try? element.encode(to: &finder) }
        return finder.problem
    }
    /// The elements: of each the first field, and the others with their names.
    public static func _text(_ list: [Self]) -> String {
        list.map { element in
            let texts = element.texts
            let others = texts.dropFirst().compactMap { field in field.text.map { "\(field.name)=\($0)" } }
            return ([texts.first?.text ?? ""] + others).joined(separator: " ")
        }.joined(separator: ", ")
    }

    /// Reads each field by its name; bytes are base64.
    public init(from decoder: any Decoder) throws {
        var fields = PayloadJSONDecoder(container: try decoder.container(keyedBy: FieldName.self))
        try self.init(from: &fields)
    }
    /// Writes each field under its name; bytes are base64.
    public func encode(to encoder: any Encoder) throws {
        var fields = PayloadJSONEncoder(container: encoder.container(keyedBy: FieldName.self), omitsContent: false)
        try encode(to: &fields)
    }
}

/// Writes the fields of a group; those of its list were checked before.
private struct GroupWriter: FieldEncoder {
    var fields: FieldWriter

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        try value._write(field.number, to: &fields)
    }

    func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        throw FieldError.unreadable
    }

    func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        throw FieldError.unreadable
    }
}

/// Reads the fields of a group, or of a row, which names users and conversations in full.
struct GroupReader: FieldDecoder {
    let bytes: [UInt8]
    let symbols: SymbolReader?

    func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value {
        try Value._value(field.number, from: FieldSource(FieldReader(bytes.span.bytes), symbols))
    }

    func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value { throw FieldError.unreadable }

    func decode<Slot: EnvelopeSlot>(_ field: SlotField<Slot>) throws -> Slot.Value { throw FieldError.unreadable }
}

/// Finds the first problem of a group's fields.
private struct ProblemFinder: FieldEncoder {
    var problem: String?

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        if problem == nil { problem = value._problem(field.rule).map { "holds a value whose \(field.name) \($0)" } }
    }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        problem = "holds content, which groups do not have"
    }

    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        problem = "holds a part of the envelope, which groups do not have"
    }
}
