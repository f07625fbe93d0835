/// Reads the fields of a host's payload from bytes of its own, so that it may be kept.
struct HostFieldReader: FieldDecoder {
    private let event: UnknownEvent
    private let serverTime: Timestamp?
    /// Name and place of the event in errors.
    private let name: StaticString
    private let position: Position?

    init(_ event: UnknownEvent, _ serverTime: Timestamp?, name: StaticString, _ position: Position?) {
        self.event = event
        self.serverTime = serverTime
        self.name = name
        self.position = position
    }

    func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value {
        try read(field.number, field.name, event.fields)
    }

    func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value {
        try read(field.number, field.name, event.content)
    }

    func decode<Slot: EnvelopeSlot>(_ field: SlotField<Slot>) throws -> Slot.Value {
        var envelope = RecordEnvelope(account: UserID(""))
        envelope.serverTime = serverTime
        envelope.actor = event.actor
        do {
            return try field.slot.read(envelope)
        } catch is FieldError {
            throw damage(field.name)
        }
    }

    private func read<Value: FieldValue>(_ number: UInt32, _ name: StaticString, _ bytes: [UInt8]) throws -> Value {
        // Numbers that no declaration may have are not looked for: some values take the next number, too.
        guard number <= FieldNumbers.highest else { throw damage(name) }
        do {
            return try Value._value(number, from: FieldSource(FieldReader(bytes.span.bytes), nil))
        } catch is FieldError {
            throw damage(name)
        }
    }

    private func damage(_ field: StaticString) -> StoreError {
        StoreError(
            position == nil ? .invalidArgument : .recordDamaged, "\(name).\(field) cannot be read", position: position)
    }
}
