/// Field groups as rows of projections, and fields of events as projections read them.
package enum FieldRow {
    /// The fields of a group, in the order in which they are read.
    package static func descriptions<Group: FieldGroup>(of group: Group.Type) -> [FieldDescription] {
        FieldLister.descriptions(of: group)
    }

    /// The bytes of a row.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where a value cannot be stored, or names a user or conversation
    ///   that no event named.
    package static func bytes(of row: some FieldGroup, named name: String, _ symbols: SymbolTable) throws -> [UInt8] {
        var writer = RowFieldWriter(name: name, symbols)
        try row.encode(to: &writer)
        guard writer.fields.symbols?.entries.isEmpty ?? true else {
            throw StoreError(.invalidArgument, "a row of \(name) names a user or conversation of no event")
        }
        return writer.fields.bytes
    }

    /// Reads a row; nil for bytes that are none of its kind.
    package static func decoded<Row: FieldGroup>(_ bytes: RawSpan, _ symbols: SymbolTable) throws -> Row? {
        guard !FieldReader(bytes).isBroken else { return nil }
        var reader = RowFieldReader(bytes.copied, symbols)
        do {
            return try Row(from: &reader)
        } catch is FieldError {
            return nil
        }
    }

    /// A field of an event.
    package static func value<Value: FieldValue>(
        of field: Field<Value>, in record: RecordView, _ symbols: SymbolTable
    ) throws -> Value {
        let reader = RecordFieldReader(record, symbols)
        return try reader.decode(field)
    }

    /// A field of an event's envelope.
    package static func value<Slot: EnvelopeSlot>(
        of field: EnvelopeField<Slot>, in record: RecordView, _ symbols: SymbolTable
    ) throws -> Slot.Value {
        let reader = RecordFieldReader(record, symbols)
        return try reader.decode(field)
    }
}

/// Checks the fields of a row and writes them.
private struct RowFieldWriter: FieldEncoder {
    var fields = FieldWriter()
    private let name: String

    init(name: String, _ symbols: SymbolTable) {
        self.name = name
        fields.symbols = PendingSymbols(table: symbols)
    }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        if let problem = value._problem(field.rule) {
            throw StoreError(.invalidArgument, "\(name).\(field.name) \(problem)")
        }
        try value._write(field.number, to: &fields)
    }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        throw StoreError(.invalidArgument, "\(name).\(field.name) is content, which rows do not have")
    }

    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: EnvelopeField<Slot>) throws {
        throw StoreError(.invalidArgument, "\(name).\(field.name) is of an envelope, which rows do not have")
    }
}

/// Reads the fields of a row.
private struct RowFieldReader: FieldDecoder {
    private let bytes: [UInt8]
    private let symbols: SymbolTable

    init(_ bytes: [UInt8], _ symbols: SymbolTable) {
        self.bytes = bytes
        self.symbols = symbols
    }

    func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value {
        if let value = try Value._read(field.number, from: FieldSource(FieldReader(bytes.span.bytes), symbols)) {
            return value
        }
        guard !Value._isRequired else { throw FieldError.unreadable }
        return Value._placeholder
    }

    func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value { throw FieldError.unreadable }

    func decode<Slot: EnvelopeSlot>(_ field: EnvelopeField<Slot>) throws -> Slot.Value { throw FieldError.unreadable }
}
