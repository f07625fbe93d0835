/// Reads fields from a record: all of a built-in payload, or those that a projection asks for.
///
/// It borrows the record's bytes, so no payload may keep it; hosts' payloads are read from bytes of their own.
@_spi(Storage) public struct RecordFieldReader: FieldDecoder {
    private let record: UnsafeRawBufferPointer
    private let fields: UnsafeRawBufferPointer
    private let content: UnsafeRawBufferPointer
    /// The numbers that are there; others are not searched for.
    private let numbers: RecordNumbers
    private let names: UnsafePointer<RecordNames>?
    private let symbols: SymbolReader

    /// - Parameters:
    ///   - record: Outlives the reader.
    ///   - names: What the envelope names, where it was looked up; outlives the reader.
    ///   - numbers: What the record holds, where it was looked through.
    ///   - omitsContent: Whether the content is read as if it had been redacted.
    init(
        _ record: RecordView, _ symbols: SymbolReader, _ names: UnsafePointer<RecordNames>? = nil,
        _ numbers: RecordNumbers = .all, omitsContent: Bool = false
    ) {
        self.record = record.bytes.withUnsafeBytes { $0 }
        fields = record.fieldBytes.withUnsafeBytes { $0 }
        content = omitsContent ? UnsafeRawBufferPointer(start: nil, count: 0) : record.content.withUnsafeBytes { $0 }
        (self.symbols, self.names, self.numbers) = (symbols, names, numbers)
    }

    private var view: RecordView {
        @_lifetime(borrow self)
        get { RecordView(wellFormed: _overrideLifetime(RawSpan(_unsafeBytes: record), borrowing: self)) }
    }

    /// Whether the record has no fields but those of every event.
    public var isWithoutFields: Bool { fields.isEmpty || numbers.fields.isSubset(of: CommonField.strings) }

    /// Reads a field.
    public func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value {
        try read(field.number, field.name, fields, numbers.fields)
    }

    /// Reads a field of the content; where that was redacted, the record lacks it.
    public func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value {
        try read(field.number, field.name, content, numbers.content)
    }

    /// Reads a value of the envelope.
    public func decode<Slot: EnvelopeSlot>(_ field: SlotField<Slot>) throws -> Slot.Value {
        do {
            return try field.slot.read(self)
        } catch is FieldError {
            throw damage(field.name)
        }
    }

    private func read<Value: FieldValue>(
        _ number: UInt32, _ name: StaticString, _ bytes: UnsafeRawBufferPointer, _ numbers: FieldNumbers
    ) throws -> Value {
        let searched = numbers.mayHold(number) ? bytes : UnsafeRawBufferPointer(start: nil, count: 0)
        let fields = FieldReader(_overrideLifetime(RawSpan(_unsafeBytes: searched), borrowing: self))
        do {
            return try Value._value(number, from: FieldSource(fields, view.type.isHosts ? nil : symbols))
        } catch is FieldError {
            throw damage(name)
        }
    }

    private func damage(_ name: StaticString) -> StoreError {
        // The record is whole: that a host's declaration does not fit it is no damage of the log.
        StoreError(
            view.type.isHosts ? .invalidArgument : .recordDamaged,
            "\(symbols.types.name(of: view.type)).\(name) cannot be read", position: view.position)
    }

    var flags: RecordFlags { view.flags }
    var serverTime: Timestamp? { view.serverTime }
    var serverID: ServerMessageID { ServerMessageID(view.serverID.string) }
    var clientToken: ClientToken? { view.clientToken.byteCount > 0 ? ClientToken(view.clientToken.string) : nil }
    var actor: UserID? {
        get throws { try names.map { $0.pointee.actor } ?? (view.actor == 0 ? nil : symbols.user(view.actor)) }
    }
    var contentType: ContentType? {
        get throws {
            try names.map { $0.pointee.contentType }
                ?? (view.contentType == 0 ? nil : symbols.contentType(view.contentType))
        }
    }
}
