/// Checks the fields of a payload and writes them as the parts of a record.
public struct RecordFieldWriter: FieldEncoder {
    var envelope: RecordEnvelope
    var fields = FieldWriter()
    var content = FieldWriter()
    /// Names the event in errors.
    private var type: EventType = .messageReceived

    init(account: UserID, symbols: PendingSymbols) {
        envelope = RecordEnvelope(account: account, conversation: nil, serverTime: nil)
        fields.symbols = symbols
    }

    mutating func begin(_ event: Event) {
        envelope.begin(event.conversation, event.serverTime)
        type = event.type
        fields.removeAll()
        content.removeAll()
    }

    /// Writes a field that folds can read.
    public mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        try type.check(value, field.name, field.rule)
        try value._write(field.number, to: &fields)
    }

    /// Writes a field of the content.
    public mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        try type.check(value, field.name)
        try value._write(field.number, to: &content)
    }

    /// Notes a field of the envelope.
    public mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: EnvelopeField<Slot>) throws {
        try type.check(value, field.name)
        field.slot._write(value, to: &envelope)
    }
}

extension EventType {
    /// Checks that a value can be recorded.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names type and field but never the value.
    func check<Value: FieldValue>(_ value: Value, _ name: StaticString, _ rule: FieldRule = .any) throws {
        if let problem = value._problem(rule) { throw StoreError(.invalidArgument, "\(self).\(name) \(problem)") }
    }
}

/// Checks the fields of a payload that is not going to be recorded.
struct FieldValidator: FieldEncoder {
    let type: EventType

    func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        try type.check(value, field.name, field.rule)
    }

    func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        try type.check(value, field.name)
    }

    func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: EnvelopeField<Slot>) throws {
        try type.check(value, field.name)
    }
}
