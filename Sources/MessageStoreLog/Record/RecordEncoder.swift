/// Writes an event as a record at the end of a ``ByteWriter``.
///
/// The values that folds need are in the envelope and the fields; user-written text is in the content, which redaction
/// can remove.
struct RecordEncoder: ~Copyable {
    private var parts: RecordFieldWriter
    private let types: EventTypes
    /// The flags that received messages of the past get, in addition to their fields' flags.
    var historyFlags: RecordFlags = []
    /// The flags that received messages get for the way on which they came.
    var carrierFlags: RecordFlags = []
    /// Called with the server id of each received message before its record is written, whether it is kept or not.
    var mayClaim: ((IdentityKey) -> Void)? {
        get { parts.mayClaim }
        set { parts.mayClaim = newValue }
    }

    init(account: UserID, symbols: SymbolTable) {
        parts = RecordFieldWriter(account: account, symbols: PendingSymbols(table: symbols))
        types = symbols.types
    }

    /// The place and time of the record in the log.
    struct Place {
        let position: Position
        let commitIndex: UInt32
        let recordedTime: Timestamp
        /// The flags of a record that is restored; nil if they follow from the event.
        var flags: RecordFlags?
    }

    /// The symbols that the records need and the log does not have yet.
    var newSymbols: [PendingSymbols.Entry] { parts.fields.symbols?.pointer.pointee.entries ?? [] }

    /// How many they are.
    var newSymbolCount: Int { parts.fields.symbols?.pointer.pointee.entries.count ?? 0 }

    /// Leaves the symbols that the records asked for to the next batch.
    mutating func leaveRecentSymbols() { parts.fields.symbols?.pointer.pointee.leaveRecent() }

    /// The content type of a number that a record has.
    func contentType(_ number: UInt32) throws -> ContentType {
        guard let symbols = parts.fields.symbols else {
            throw StoreError(.logDamaged, "content types have no numbers without a log")
        }
        return try symbols.pointer.pointee.contentType(number)
    }

    /// Forgets the symbols after the first `count`.
    mutating func rollBackSymbols(to count: Int) { parts.fields.symbols?.pointer.pointee.rollBack(to: count) }

    /// Checks an event and writes its record without the checksum; ``seal(from:in:)`` adds that once it is certain to
    /// be kept.
    ///
    /// - Returns: The key of the server id of a received message.
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names the first rule that the event breaks.
    mutating func encode(_ event: Event, at place: Place, into writer: inout ByteWriter) throws -> IdentityKey? {
        let payload = event.payload.payloadType
        let declared = try event.validateEnvelope(types, payload)
        parts.begin(event, payload, types)
        if payload == UnknownEvent.self, let unknown = event.payload as? UnknownEvent {
            unknown.writeBytes(to: &parts)
        } else if event.type == .messageReceived, place.flags == nil, event.isPlain,
            let conversation = try event.conversation.map({ try parts.fields.symbol($0) })
        {
            if let key = try encodePlain(event, in: conversation, at: place, into: &writer) { return key }
        } else {
            try event.payload.encode(to: &parts)
        }
        if event.type == .messageReceived, place.flags == nil {
            parts.envelope.flags.formUnion(arrivalFlags(of: event))
        }
        if !event.unknownFields.isEmpty {
            try event.validateUnknownFields(types)
            event.unknownFields.fields.withUnsafeBytes { parts.fields.append($0) }
            event.unknownFields.content.withUnsafeBytes { parts.content.append($0) }
        }
        try event.payload.validate()
        if event.type.isHosts { try types.validateUnknown(event) }
        let size = parts.fields.count + parts.content.count
        guard size <= EventLimits.eventBytes else {
            throw StoreError(
                .invalidArgument,
                "\(event.payload.typeName) carries \(size) bytes; at most \(EventLimits.eventBytes)")
        }
        let version = payload == UnknownEvent.self ? nil : declared?.version
        return try write(event, version ?? event.payload.schemaVersion, place, to: &writer)
    }

    private mutating func write(
        _ event: Event, _ version: UInt8, _ place: Place, to writer: inout ByteWriter
    ) throws -> IdentityKey? {
        if event.id != nil { parts.envelope.flags.insert(.hasEventID) }
        if event.awaitsServer { parts.envelope.flags.insert(.awaitsServer) }
        if parts.envelope.serverTime != nil { parts.envelope.flags.insert(.hasServerTime) }
        if event.correctedTime != nil { parts.envelope.flags.insert(.hasClock) }
        let flags = try place.flags.map { try restored($0, of: event, at: place.position) } ?? parts.envelope.flags
        let conversation = try event.conversation.map { try parts.fields.symbol($0) }
        var serverID: IdentityKey?
        if event.type == .messageReceived, let id = parts.envelope.serverID, let conversation {
            let key = id.key(in: conversation)
            parts.mayClaim?(key)
            serverID = key
        }
        let actor = try parts.envelope.actor.map { try parts.fields.symbol($0) }
        let contentType = try parts.envelope.contentType.map { try parts.fields.symbol($0) }

        let clockLength = event.correctedTime == nil ? 0 : RecordLayout.clockSize
        let header = RecordHeader(
            type: event.type, version: version, origin: event.origin, flags: flags,
            idLength: parts.envelope.serverID?.rawValue.utf8.count ?? 0,
            tokenLength: parts.envelope.clientToken?.rawValue.utf8.count ?? 0,
            serverTime: parts.envelope.serverTime, conversation: conversation, actor: actor, contentType: contentType,
            fieldsLength: clockLength + parts.fields.count, contentLength: parts.content.count)
        writer.append(header.recordSize) { record in
            header.write(to: record, at: place)
            parts.envelope.serverID?.rawValue.copyUTF8(to: record + RecordLayout.headerSize)
            parts.envelope.clientToken?.rawValue.copyUTF8(to: record + RecordLayout.headerSize + header.idLength)
            let fields = record + RecordLayout.headerSize + header.idLength + header.tokenLength
            if let corrected = event.correctedTime {
                fields.set(RecordLayout.clockTags.time, at: 0)
                fields.set((event.clockTime ?? corrected).milliseconds, at: RecordLayout.clockTag)
                let second = RecordLayout.clockSize / 2
                fields.set(RecordLayout.clockTags.corrected, at: second)
                fields.set(corrected.milliseconds, at: second + RecordLayout.clockTag)
            }
            parts.fields.copy(to: fields + clockLength)
            parts.content.copy(to: fields + header.fieldsLength)
        }
        return serverID
    }

    /// Writes the record of a message that has a content and little else, and answers the key of its id; encodes the fields
    /// of others, and answers nil.
    private mutating func encodePlain(
        _ event: Event, in conversation: UInt32, at place: Place, into writer: inout ByteWriter
    ) throws -> IdentityKey? {
        let flags = arrivalFlags(of: event)
        return try withUnsafeMutablePointer(to: &writer) { writer in
            parts.plain = PlainRecord(
                writer: writer, place: place, origin: event.origin, flags: flags, conversation: conversation)
            defer { parts.plain = nil }
            try event.payload.encode(to: &parts)
            return parts.plain?.serverID
        }
    }

    /// The flags of a received message for the way on which it came.
    private func arrivalFlags(of event: Event) -> RecordFlags {
        let isSaid = event.origin == .offline && carrierFlags == .packageBit
        return (event.origin == .history ? historyFlags : []).union(isSaid ? [] : carrierFlags)
    }

    /// The flags of a restored record, which may differ from the event's own flags only if an earlier version decided
    /// them, or redaction.
    private func restored(_ flags: RecordFlags, of event: Event, at position: Position) throws -> RecordFlags {
        func invalid(_ problem: String) -> StoreError {
            StoreError(.invalidArgument, "\(event.payload.typeName) cannot be restored: \(problem)", position: position)
        }
        let decided: RecordFlags = [
            .isRedacted, .mentionsAccount, .isOutgoing, .isDirectedAtOthers, .countsAboveMarker, .isHandedOver,
        ]
        let differing = flags.symmetricDifference(parts.envelope.flags)
        let entry = types[event.type]
        let rest = differing.subtracting([.erasesHidden, .erasesAtOnce])
        guard entry == nil || rest.isSubset(of: event.type.isMessage ? decided : .isRedacted) else {
            throw invalid("its flags are not those of its fields")
        }
        guard differing.isDisjoint(with: [.hasEventID, .hasServerTime, .awaitsServer, .hasClock]) else {
            throw invalid("its flags are not those of its envelope")
        }
        if flags.contains(.isRedacted) {
            // An earlier version of a host's type may have had content where this one has none.
            let couldHaveContent = !event.type.isKnown || entry?.hasContent ?? true
            guard couldHaveContent, parts.content.count == 0 else {
                throw invalid("it is marked as redacted and has content")
            }
        }
        return flags
    }

    /// Puts the checksum over the record that begins at `start` and ends at the end of the writer.
    static func seal(from start: Int, in writer: inout ByteWriter) {
        let checksum = RecordView.checksum(of: writer.bytes.extracting(start..<writer.count))
        writer.set(checksum, at: start + RecordLayout.checksum)
    }
}

/// Checks the fields of a payload and writes them as the parts of a record.
package struct RecordFieldWriter: FieldEncoder {
    var envelope: RecordEnvelope
    var fields = FieldWriter()
    var content = FieldWriter()
    /// Names the event in errors.
    private var payload: any EventPayload.Type = UnknownEvent.self
    /// The numbers that a host's type declared; nil for built-in types.
    private var declared: (fields: FieldNumbers, content: FieldNumbers)?
    /// The record that a plain message may be written as; nil if each field is to be encoded. It holds no reference, since
    /// it is made for each event.
    var plain: PlainRecord?
    /// See ``RecordEncoder/mayClaim``.
    var mayClaim: ((IdentityKey) -> Void)?

    /// - Parameter symbols: nil if no built-in event is going to be written.
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
