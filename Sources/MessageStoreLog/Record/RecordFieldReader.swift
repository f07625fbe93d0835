/// Reads fields from a record: all of a built-in payload, or those that a projection asks for.
///
/// It borrows the record's bytes, so no payload may keep it; hosts' payloads are read from bytes of their own.
@_spi(Storage) public struct RecordFieldReader: FieldDecoder {
    private let record: UnsafeRawBufferPointer
    private let symbols: SymbolTable
    private let omitsContent: Bool

    /// - Parameters:
    ///   - record: Outlives the reader.
    ///   - omitsContent: Whether the content is read as if it had been redacted.
    init(_ record: RecordView, _ symbols: SymbolTable, omitsContent: Bool = false) {
        self.omitsContent = omitsContent
        self.record = record.bytes.withUnsafeBytes { $0 }
        self.symbols = symbols
    }

    private var view: RecordView {
        @_lifetime(borrow self)
        get { RecordView(wellFormed: _overrideLifetime(RawSpan(_unsafeBytes: record), borrowing: self)) }
    }

    /// Reads a field.
    public func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value {
        try read(field.number, field.name, view.fields)
    }

    /// Reads a field of the content; where that was redacted, the record lacks it.
    public func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value {
        try read(
            field.number, field.name, FieldReader(omitsContent ? view.content.extracting(0..<0) : view.content))
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
        _ number: UInt32, _ name: StaticString, _ reader: FieldReader
    ) throws -> Value {
        do {
            return try FieldSource(reader, view.type.isHosts ? nil : symbols).value(number)
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
        get throws { view.actor == 0 ? nil : try symbols.user(view.actor) }
    }
    var contentType: ContentType? {
        get throws { view.contentType == 0 ? nil : try symbols.contentType(view.contentType) }
    }
}
