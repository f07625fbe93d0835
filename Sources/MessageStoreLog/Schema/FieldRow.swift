/// Field groups as rows of projections, and fields of events as projections read them.
package enum FieldRow {
    /// The fields of a group, in the order in which they are read.
    package static func descriptions<Group: FieldGroup>(of group: Group.Type) -> [FieldDescription] {
        FieldLister.descriptions(of: group)
    }

    /// The bytes of a row.
    ///
    /// Users and conversations are spelled out there: a row must not depend on whether an event named them before.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where a value cannot be stored.
    package static func bytes(of row: some FieldGroup, named name: String) throws -> [UInt8] {
        var writer = RowFieldWriter(name: name)
        try row.encode(to: &writer)
        return writer.fields.bytes
    }

    /// Reads a row; nil for bytes that are none of its kind.
    package static func decoded<Row: FieldGroup>(_ bytes: RawSpan) throws -> Row? {
        guard !FieldReader(bytes).isBroken else { return nil }
        var reader = GroupReader(bytes: bytes.copied, symbols: nil)
        do {
            return try Row(from: &reader)
        } catch is FieldError {
            return nil
        }
    }

    /// Values as the fields of a row, numbered from 1.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where a value cannot be stored.
    package static func fields<each Value: FieldValue>(
        of values: repeat each Value, named name: String
    ) throws -> [UInt8] {
        var writer = RowFieldWriter(name: name)
        var number: UInt32 = 0
        for value in repeat each values {
            number += 1
            try writer.encode(value, for: Field(number, "key"))
        }
        return writer.fields.bytes
    }

    /// The values of fields that are numbered from 1.
    package static func values<each Value: FieldValue>(in fields: [UInt8]) throws -> (repeat each Value) {
        var number: UInt32 = 0
        func next<Next: FieldValue>() throws -> Next {
            number += 1
            return try value(number, in: fields)
        }
        return (repeat try next() as each Value)
    }

    /// The value of a field that names users and conversations in full.
    package static func value<Value: FieldValue>(_ number: UInt32, in fields: [UInt8]) throws -> Value {
        try Value._value(number, from: FieldSource(FieldReader(fields.span.bytes), nil))
    }

    /// The payload of an event without its content; nil if the event is of another type, or of a newer version.
    package static func payload<Payload: EventPayload>(
        _ type: Payload.Type, of record: RecordView, _ symbols: SymbolTable
    ) throws -> Payload? {
        let declaration = Payload.declaration
        guard record.type == declaration.type, record.schemaVersion <= declaration.version else { return nil }
        var reader = RecordFieldReader(record, SymbolReader(symbols), omitsContent: true)
        return try record.schemaVersion < declaration.version
            ? Payload(upcasting: &reader, from: record.schemaVersion) : Payload(from: &reader)
    }

    /// A field of an event.
    package static func value<Value: FieldValue>(
        of field: Field<Value>, in record: RecordView, _ symbols: SymbolTable
    ) throws -> Value {
        let reader = RecordFieldReader(record, SymbolReader(symbols))
        return try reader.decode(field)
    }

    /// A field of an event's envelope.
    package static func value<Value: FieldValue>(
        of field: EnvelopeField<Value>, in record: RecordView, _ symbols: SymbolTable
    ) throws -> Value {
        var reader = RecordFieldReader(record, SymbolReader(symbols))
        return try reader.decode(field)
    }
}

/// Checks the fields of a row and writes them.
private struct RowFieldWriter: FieldEncoder {
    var fields = FieldWriter()
    private let name: String

    init(name: String) { self.name = name }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        if let problem = value._problem(field.rule) {
            throw StoreError(.invalidArgument, "\(name).\(field.name) \(problem)")
        }
        try value._write(field.number, to: &fields)
    }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        throw StoreError(.invalidArgument, "\(name).\(field.name) is content, which rows do not have")
    }

    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        throw StoreError(.invalidArgument, "\(name).\(field.name) is of an envelope, which rows do not have")
    }
}
