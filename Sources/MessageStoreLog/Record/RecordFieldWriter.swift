/// Checks the fields of a payload and writes them as the parts of a record.
package struct RecordFieldWriter: FieldEncoder {
    var envelope: RecordEnvelope
    var fields = FieldWriter()
    var content = FieldWriter()
    /// Names the event in errors.
    private var payload: any EventPayload.Type = UnknownEvent.self
    /// The numbers that a host's type declared; nil for built-in types.
    private var declared: (fields: FieldNumbers, content: FieldNumbers)?

    /// - Parameter symbols: nil where no built-in event is going to be written.
    init(account: UserID, symbols: PendingSymbols?) {
        envelope = RecordEnvelope(account: account)
        fields.symbols = symbols.map(Shared.init)
    }

    /// Starts over for another event and writes what events of all types have in common.
    mutating func begin(_ event: Event, _ payload: any EventPayload.Type, _ types: EventTypes) {
        envelope.begin(event)
        self.payload = payload
        declared = event.type.isHosts ? types[event.type]?.numbers : nil
        fields.removeAll()
        fields.usesSymbols = !event.type.isHosts
        content.removeAll()
        if event.id != nil || event.device != nil || event.clockTime != nil { encodeCommonFields(of: event) }
    }

    private mutating func encodeCommonFields(of event: Event) {
        // The fields of an unknown event may hold them already, in their writer's order.
        let unknown = event.payload as? UnknownEvent
        if let id = event.id, unknown?.holdsField(CommonField.eventID.number) != true {
            fields.field(CommonField.eventID.number, id.rawValue)
        }
        if let device = event.device, unknown?.holdsField(CommonField.device.number) != true {
            fields.field(CommonField.device.number, device.rawValue)
        }
        // As earlier versions wrote it, which is restored.
        if let time = event.clockTime, event.correctedTime == nil, event.type.has(.mergedByTime),
            unknown?.holdsField(CommonField.clockTime.number) != true
        {
            fields.field(CommonField.clockTime.number, UInt64(clamping: time.milliseconds))
        }
    }

    /// Writes a field that folds can read.
    package mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        if let problem = value._problem(field.rule) { throw payload.refusal(of: field.name, problem) }
        if let declared, field.number < 3 || !declared.fields.contains(field.number) {
            throw payload.undeclared(field.name)
        }
        try value._write(field.number, to: &fields)
    }

    /// Writes a field of the content.
    package mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        if let problem = value._problem(.any) { throw payload.refusal(of: field.name, problem) }
        if let declared, !declared.content.contains(field.number) { throw payload.undeclared(field.name) }
        try value._write(field.number, to: &content)
    }

    /// Notes a field of the envelope.
    package mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        if let problem = value._problem(.any) { throw payload.refusal(of: field.name, problem) }
        field.slot.write(value, to: &envelope)
    }

    @inline(__always) package static var skipsAbsent: Bool { true }

    package mutating func complete(_ body: (inout RecordEnvelope) -> Void) { body(&envelope) }
}

extension EventPayload {
    /// The error that a value cannot be recorded: names type and field but never the value.
    fileprivate static func refusal(of field: StaticString, _ problem: String) -> StoreError {
        StoreError(.invalidArgument, "\(declaration.name).\(field) \(problem)")
    }

    fileprivate static func undeclared(_ name: StaticString) -> StoreError {
        StoreError(.invalidArgument, "\(declaration.name).\(name) is written and not read by init(from:)")
    }
}

/// Checks the fields of a payload that is not going to be recorded.
struct FieldValidator: FieldEncoder {
    let payload: any EventPayload.Type

    func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        if let problem = value._problem(field.rule) { throw payload.refusal(of: field.name, problem) }
    }

    func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        if let problem = value._problem(.any) { throw payload.refusal(of: field.name, problem) }
    }

    func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        if let problem = value._problem(.any) { throw payload.refusal(of: field.name, problem) }
    }
}
