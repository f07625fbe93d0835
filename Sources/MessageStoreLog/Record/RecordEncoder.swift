/// Writes an event as a record at the end of a ``ByteWriter``.
///
/// The values that folds need are in the envelope and the fields; user-written text is in the content, which redaction
/// can remove.
struct RecordEncoder {
    private var parts: RecordFieldWriter
    private let types: EventTypes
    /// The flags that received messages of the past get, in addition to those of their fields.
    var historyFlags: RecordFlags = []

    init(account: UserID, symbols: SymbolTable) {
        parts = RecordFieldWriter(account: account, symbols: PendingSymbols(table: symbols))
        types = symbols.types
    }

    /// Where and when the record is in the log.
    struct Place {
        let position: Position
        let commitIndex: UInt32
        let recordedTime: Timestamp
        /// The flags of a record that is restored; nil where they follow from the event.
        var flags: RecordFlags?
    }

    /// The symbols that the records need and the log does not have yet.
    var newSymbols: [PendingSymbols.Entry] { parts.fields.symbols?.entries ?? [] }

    /// How many they are.
    var newSymbolCount: Int { parts.fields.symbols?.entries.count ?? 0 }

    /// The content type of a number that a record has.
    func contentType(_ number: UInt32) throws -> ContentType {
        guard let symbols = parts.fields.symbols else {
            throw StoreError(.logDamaged, "content types have no numbers without a log")
        }
        return try symbols.contentType(number)
    }

    /// Forgets the symbols after the first `count`.
    mutating func rollBackSymbols(to count: Int) { parts.fields.symbols?.rollBack(to: count) }

    /// Checks an event and writes its record without the checksum; ``seal(from:in:)`` adds that once it is certain to
    /// be kept.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names the first rule that the event breaks.
    mutating func encode(_ event: Event, at place: Place, into writer: inout ByteWriter) throws {
        let payload = event.payload.payloadType
        try event.validateEnvelope(types, payload)
        parts.begin(event, payload, types)
        if payload == UnknownEvent.self, let unknown = event.payload as? UnknownEvent {
            unknown.writeBytes(to: &parts)
        } else {
            try event.payload.encode(to: &parts)
        }
        if event.origin == .history, event.type == .messageReceived, place.flags == nil {
            parts.envelope.flags.formUnion(historyFlags)
        }
        if !event.unknownFields.isEmpty {
            try event.validateUnknownFields(types)
            event.unknownFields.fields.withUnsafeBytes { parts.fields.append($0) }
            event.unknownFields.content.withUnsafeBytes { parts.content.append($0) }
        }
        try event.payload.validate()
        if event.type.isHosts { try types.validateUnknown(event) }
        let size = parts.fields.bytes.count + parts.content.bytes.count
        guard size <= EventLimits.eventBytes else {
            throw StoreError(
                .invalidArgument,
                "\(event.payload.typeName) carries \(size) bytes; at most \(EventLimits.eventBytes)")
        }
        try write(event, place, to: &writer)
    }

    private mutating func write(_ event: Event, _ place: Place, to writer: inout ByteWriter) throws {
        let start = writer.count
        writer.appendZeros(RecordLayout.headerSize)
        if let id = parts.envelope.serverID { writer.append(id.rawValue) }
        let tokenStart = writer.count
        if let token = parts.envelope.clientToken { writer.append(token.rawValue) }
        let fieldsStart = writer.count
        writer.append(parts.fields.bytes)
        writer.append(parts.content.bytes)

        if event.id != nil { parts.envelope.flags.insert(.hasEventID) }
        if event.awaitsServer { parts.envelope.flags.insert(.awaitsServer) }
        if parts.envelope.serverTime != nil { parts.envelope.flags.insert(.hasServerTime) }
        let flags = try place.flags.map { try restored($0, of: event, at: place.position) } ?? parts.envelope.flags
        writer.set(place.position.rawValue, at: start + RecordLayout.position)
        writer.set(event.type.rawValue, at: start + RecordLayout.type)
        writer.set(event.payload.schemaVersion, at: start + RecordLayout.schemaVersion)
        writer.set(event.origin.rawValue, at: start + RecordLayout.origin)
        writer.set(flags.rawValue, at: start + RecordLayout.flags)
        writer.set(
            UInt8(clamping: tokenStart - start - RecordLayout.headerSize), at: start + RecordLayout.serverIDLength)
        writer.set(UInt8(clamping: fieldsStart - tokenStart), at: start + RecordLayout.clientTokenLength)
        writer.set(place.recordedTime.milliseconds, at: start + RecordLayout.recordedTime)
        writer.set(parts.envelope.serverTime?.milliseconds ?? 0, at: start + RecordLayout.serverTime)
        try writeSymbols(event, start, to: &writer)
        writer.set(place.commitIndex, at: start + RecordLayout.commitIndex)
        writer.set(UInt32(clamping: parts.fields.bytes.count), at: start + RecordLayout.fieldsLength)
        writer.set(UInt32(clamping: parts.content.bytes.count), at: start + RecordLayout.contentLength)
    }

    /// The flags of a restored record, which may differ from those that follow from the event only where an earlier
    /// version decided them, or redaction.
    private func restored(_ flags: RecordFlags, of event: Event, at position: Position) throws -> RecordFlags {
        func invalid(_ problem: String) -> StoreError {
            StoreError(
                .invalidArgument, "\(event.payload.typeName) cannot be restored: \(problem)", position: position)
        }
        let decided: RecordFlags = [
            .isRedacted, .mentionsAccount, .isOutgoing, .isDirectedAtOthers, .countsAboveMarker,
        ]
        let differing = flags.symmetricDifference(parts.envelope.flags)
        let entry = types[event.type]
        let rest = differing.subtracting(.erasesHidden)
        guard entry == nil || rest.isSubset(of: event.type.isMessage ? decided : .isRedacted) else {
            throw invalid("its flags are not those of its fields")
        }
        guard differing.isDisjoint(with: [.hasEventID, .hasServerTime, .awaitsServer]) else {
            throw invalid("its flags are not those of its envelope")
        }
        if flags.contains(.isRedacted) {
            // An earlier version of a host's type may have had content where this one has none.
            let couldHaveContent = !event.type.isKnown || entry?.hasContent ?? true
            guard couldHaveContent, parts.content.bytes.isEmpty else {
                throw invalid("it is marked as redacted and has content")
            }
        }
        return flags
    }

    private mutating func writeSymbols(_ event: Event, _ start: Int, to writer: inout ByteWriter) throws {
        if let key = event.conversation {
            writer.set(try parts.fields.symbol(key), at: start + RecordLayout.conversation)
        }
        if let actor = parts.envelope.actor {
            writer.set(try parts.fields.symbol(actor), at: start + RecordLayout.actor)
        }
        if let type = parts.envelope.contentType {
            writer.set(try parts.fields.symbol(type), at: start + RecordLayout.contentType)
        }
    }

    /// Puts the checksum over the record that begins at `start` and ends at the end of the writer.
    static func seal(from start: Int, in writer: inout ByteWriter) {
        let checksum = RecordView.checksum(of: writer.bytes.extracting(start..<writer.count))
        writer.set(checksum, at: start + RecordLayout.checksum)
    }
}
