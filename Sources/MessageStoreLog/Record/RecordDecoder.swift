/// Turns a record back into an ``Event``.
package struct RecordDecoder {
    private let table: SymbolTable
    private let kept: KeptSymbols?
    /// Whether contents are read as if they had been redacted.
    private let omitsContent: Bool

    var symbols: SymbolReader { SymbolReader(table, kept) }
    /// The types that are read with typed payloads.
    package var types: EventTypes { table.types }

    /// - Parameter keepsSymbols: Whether strings are kept for records that name the same, which is worth it for many.
    package init(symbols: SymbolTable, omitsContent: Bool = false, keepsSymbols: Bool = false) {
        table = symbols
        kept = keepsSymbols ? KeptSymbols() : nil
        self.omitsContent = omitsContent
    }

    /// Decodes a record whose checksum was verified.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged` where its bytes do not make an event; or what a host's
    ///   payload throws.
    package func event(from record: RecordView) throws -> Event {
        let event = try event(from: record, numbers(of: record), names(of: record), record.catalogEntry)
        return record.type.isHosts ? try types.typed(event, at: record.position) : event
    }

    /// The same, but messages are decoded when they are first asked for, if nothing can be wrong with them then.
    package func source(of record: RecordView) throws -> EventSource {
        let numbers = try numbers(of: record)
        guard !omitsContent, UndecodedMessage.canHold(record, numbers) else {
            return .decoded(DecodedEvent(try event(from: record)))
        }
        let names = try naming(record) {
            try kept.map { try KeptNames(record, table, $0) } ?? KeptNames(record, table)
        }
        return .undecoded(UndecodedMessage(record, numbers, names))
    }

    /// A host's event as it is stored, where its type cannot read it any more.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged` where its bytes do not make an event.
    package func storedEvent(from record: RecordView) throws -> Event {
        try event(from: record, numbers(of: record), names(of: record), nil)
    }

    private func numbers(of record: RecordView) throws -> RecordNumbers {
        if let numbers = record.numbers { return numbers }
        throw StoreError(.recordDamaged, "\(types.name(of: record.type)) has broken fields", position: record.position)
    }

    private func names(of record: RecordView) throws -> RecordNames {
        try naming(record) { try RecordNames(record, symbols) }
    }

    private func event(
        from record: RecordView, _ numbers: RecordNumbers, _ names: RecordNames, _ entry: EventCatalog.Entry?
    ) throws -> Event {
        try naming(record) {
            try Self.event(from: record, numbers, names, entry, symbols, omitsContent: omitsContent)
        }
    }

    /// Calls `body`, where a number that no symbol has is damage of the record.
    private func naming<Result>(_ record: RecordView, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as StoreError where error.code == .viewsDamaged {
            throw StoreError(.recordDamaged, "the record names an unknown symbol", position: record.position)
        }
    }

    /// The event with a built-in payload, or with an unknown one.
    private static func event(
        from record: RecordView, _ numbers: RecordNumbers, _ names: RecordNames, _ entry: EventCatalog.Entry?,
        _ symbols: SymbolReader, omitsContent: Bool
    ) throws -> Event {
        var unknown = UnknownFields()
        if let entry, !numbers.fields.isSubset(of: entry.numbers.fields) {
            unknown.fields = record.fields.bytes(except: entry.numbers.fields)
        }
        if let entry, !omitsContent, !numbers.content.isSubset(of: entry.numbers.content) {
            unknown.content = FieldReader(record.content).bytes(except: entry.numbers.content)
        }
        let hasDevice = numbers.fields.contains(CommonField.device.number)
        return Event(
            try payload(of: record, numbers, names, entry, symbols, omitsContent: omitsContent), record.type,
            in: names.conversation,
            id: record.flags.contains(.hasEventID) ? record[CommonField.eventID].map(EventID.init) : nil,
            origin: record.origin, serverTime: record.serverTime,
            device: hasDevice ? record[CommonField.device].map(DeviceID.init) : nil,
            clock: record.clock,
            awaitsServer: record.flags.contains(.awaitsServer), unknownFields: unknown)
    }

    private static func payload(
        of record: RecordView, _ numbers: RecordNumbers, _ names: RecordNames, _ entry: EventCatalog.Entry?,
        _ symbols: SymbolReader, omitsContent: Bool
    ) throws -> any EventPayload {
        guard let type = entry?.builtIn else { return unknown(record, names, omitsContent: omitsContent) }
        return try withUnsafePointer(to: names) { names in
            var reader = RecordFieldReader(record, symbols, names, numbers, omitsContent: omitsContent)
            return try read(type, &reader)
        }
    }

    /// Makes a payload where it stays: `init(from:)` would copy it.
    private static func read<Payload: BuiltInPayload>(
        _ type: Payload.Type, _ reader: inout RecordFieldReader
    ) throws -> any EventPayload {
        try Payload(reading: &reader)
    }

    private static func unknown(_ record: RecordView, _ names: RecordNames, omitsContent: Bool) -> UnknownEvent {
        UnknownEvent(
            type: record.type, schemaVersion: record.schemaVersion, fields: record.fieldBytes.copied,
            content: omitsContent ? [] : record.content.copied,
            actor: names.actor, contentType: names.contentType,
            serverID: record.serverID.byteCount == 0 ? nil : ServerMessageID(record.serverID.string),
            clientToken: record.clientToken.byteCount == 0 ? nil : ClientToken(record.clientToken.string))
    }

    /// The record of a host's event as the current version of its type would have written it, for folds.
    ///
    /// Envelope, position and checksum fit; there is no content, which folds do not see. The same record always gives
    /// the same bytes.
    ///
    /// - Returns: nil if the record needs none of this: it is not of a registered type, or in the current version.
    /// - Throws: ``StoreError`` with code `invalidArgument` where a field cannot be read by what the host declares,
    ///   other codes for damage; or what the payload's `init(upcasting:from:)` throws.
    package func lifted(_ record: RecordView) throws -> [UInt8]? {
        guard types.isOutdated(record) else { return nil }
        var stored = try storedEvent(from: record)
        if var unknown = stored.payload as? UnknownEvent {
            unknown.content = []
            stored.payload = unknown
        }
        let event = try types.typed(stored)
        let fields = try types.parts(ofHosts: event).fields.bytes
        var writer = ByteWriter()
        writer.append(record.bytes.extracting(0..<record.fieldsOffset))
        writer.append(fields)
        writer.set(event.payload.schemaVersion, at: RecordLayout.schemaVersion)
        writer.set(UInt32(clamping: fields.count + record.clockLength), at: RecordLayout.fieldsLength)
        writer.set(UInt32(0), at: RecordLayout.contentLength)
        RecordEncoder.seal(from: 0, in: &writer)
        return writer.bytes.copied
    }

    /// The content of a message.
    package func content(of record: RecordView) throws -> MessageContent { try group(record) }

    /// Whom a message mentions, what it replies to, and who may see it.
    package func context(of record: RecordView) throws -> MessageContext {
        // Mostly there is none of it.
        guard record.fieldBytes.byteCount == 0 else { return try group(record) }
        let pushText =
            omitsContent ? nil : FieldReader(record.content).firstString(MessageContext.Fields.pushText.number)
        return MessageContext(pushText: pushText)
    }

    /// The sender's name when a message came, if that came with it.
    package func senderProfile(of record: RecordView) throws -> SenderProfile? {
        let profile: SenderProfile = try group(record)
        return profile.unlessEmpty
    }

    /// Fields that several payloads share. Called in this module alone, where it is specialised for each kind.
    private func group<Group: FieldGroup>(_ record: RecordView) throws -> Group {
        var reader = RecordFieldReader(record, symbols, omitsContent: omitsContent)
        return try Group(from: &reader)
    }
}

/// Reads fields from a record: all of a built-in payload, or the ones that a projection asks for.
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
    ///   - names: The names in the envelope, if they were looked up; outlives the reader.
    ///   - numbers: The numbers in the record, if it was looked through.
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

    /// Whether the record has no fields but the ones of every event.
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
