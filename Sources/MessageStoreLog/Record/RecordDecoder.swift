/// Turns a record back into an ``Event``.
package struct RecordDecoder {
    let symbols: SymbolTable
    /// The types that are read with typed payloads.
    package var types: EventTypes { symbols.types }

    /// Whether contents are read as if they had been redacted.
    private let omitsContent: Bool

    package init(symbols: SymbolTable, omitsContent: Bool = false) {
        self.symbols = symbols
        self.omitsContent = omitsContent
    }

    /// Decodes a record whose checksum was verified.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged` where its bytes do not make an event; or what a host's
    ///   payload throws.
    package func event(from record: RecordView) throws -> Event {
        do {
            return try typedEvent(from: record)
        } catch let error as StoreError where error.code == .viewsDamaged {
            throw StoreError(.recordDamaged, "the record names an unknown symbol", position: record.position)
        }
    }

    /// A host's event as it is stored, where its type cannot read it any more.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged` where its bytes do not make an event.
    package func storedEvent(from record: RecordView) throws -> Event { try event(from: record, as: nil) }

    private func typedEvent(from record: RecordView) throws -> Event {
        guard let entry = record.catalogEntry else {
            return try types.typed(try event(from: record, as: nil), at: record.position)
        }
        var event = try event(from: record, as: entry.payload)
        event.unknownFields.fields = record.fields.bytes(except: entry.numbers.fields)
        if !omitsContent {
            event.unknownFields.content = FieldReader(record.content).bytes(except: entry.numbers.content)
        }
        return event
    }

    /// The event with a built-in payload, or with an unknown one.
    private func event(from record: RecordView, as type: (any EventPayload.Type)?) throws -> Event {
        guard record.isWellFormed else {
            throw StoreError(
                .recordDamaged, "\(types.name(of: record.type)) has broken fields", position: record.position)
        }
        var event = Event(
            try payload(of: record, type),
            in: record.conversation == 0 ? nil : try symbols.conversation(record.conversation),
            id: record.flags.contains(.hasEventID) ? record[CommonField.eventID].map(EventID.init) : nil,
            origin: record.origin,
            serverTime: record.serverTime,
            device: record[CommonField.device].map(DeviceID.init)
        )
        event.awaitsServer = record.flags.contains(.awaitsServer)
        if record.type.has(.mergedByTime) { event.clockTime = record[CommonField.clockTime] }
        return event
    }

    private func payload(of record: RecordView, _ type: (any EventPayload.Type)?) throws -> any EventPayload {
        guard let type else {
            return UnknownEvent(
                type: record.type, schemaVersion: record.schemaVersion, fields: record.fieldBytes.copied,
                content: omitsContent ? [] : record.content.copied,
                actor: record.actor == 0 ? nil : try symbols.user(record.actor),
                contentType: record.contentType == 0 ? nil : try symbols.contentType(record.contentType),
                serverID: record.serverID.byteCount == 0 ? nil : ServerMessageID(record.serverID.string),
                clientToken: record.clientToken.byteCount == 0 ? nil : ClientToken(record.clientToken.string))
        }
        var reader = RecordFieldReader(record, symbols, omitsContent: omitsContent)
        return try type.init(from: &reader)
    }

    /// The record of a host's event as the current version of its type would have written it, for folds.
    ///
    /// Envelope, position and checksum fit; there is no content, which folds do not see. The same record always gives
    /// the same bytes.
    ///
    /// - Returns: nil where the record needs none of this: it is not of a registered type, or in the current version.
    /// - Throws: ``StoreError`` with code `invalidArgument` where a field cannot be read by what the host declares,
    ///   other codes for damage; or what the payload's `init(upcasting:from:)` throws.
    package func lifted(_ record: RecordView) throws -> [UInt8]? {
        guard types.isOutdated(record) else { return nil }
        var stored = try event(from: record, as: nil)
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
        writer.set(UInt32(clamping: fields.count), at: RecordLayout.fieldsLength)
        writer.set(UInt32(0), at: RecordLayout.contentLength)
        RecordEncoder.seal(from: 0, in: &writer)
        return writer.bytes.copied
    }

    /// The content of a message.
    package func content(of record: RecordView) throws -> MessageContent { try group(record) }

    /// Whom a message mentions, what it replies to, and who may see it.
    package func context(of record: RecordView) throws -> MessageContext {
        // Mostly there is none of it, and asking for each of its fields costs more than all else of a message.
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
