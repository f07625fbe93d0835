/// Turns a record back into an ``Event``.
package struct RecordDecoder {
    let symbols: SymbolTable

    package init(symbols: SymbolTable) {
        self.symbols = symbols
    }

    /// Decodes a record whose checksum was verified.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged` where its bytes do not make an event.
    package func event(from record: RecordView) throws -> Event {
        guard record.isWellFormed else {
            throw StoreError(.recordDamaged, "\(record.type) has broken fields", position: record.position)
        }
        let entry = record.catalogEntry
        var event = Event(
            try payload(of: record, entry?.payload),
            in: record.conversation == 0 ? nil : try symbols.conversation(record.conversation),
            id: record.flags.contains(.hasEventID) ? record[CommonField.eventID].map(EventID.init) : nil,
            origin: record.origin,
            serverTime: record.serverTime,
            device: record[CommonField.device].map(DeviceID.init)
        )
        if let known = entry?.numbers {
            event.unknownFields.fields = record.fields.bytes(except: known.fields)
            event.unknownFields.content = FieldReader(record.content).bytes(except: known.content)
        }
        return event
    }

    private func payload(of record: RecordView, _ type: (any EventPayload.Type)?) throws -> any EventPayload {
        guard let type else {
            return UnknownEvent(
                type: record.type, schemaVersion: record.schemaVersion, fields: record.fieldBytes.copied,
                content: record.content.copied)
        }
        var reader = RecordFieldReader(record, symbols)
        return try type._decoded(from: &reader)
    }

    /// Fields that several payloads share, such as a message's content.
    package func group<Group: FieldGroup>(_ group: Group.Type, of record: RecordView) throws -> Group {
        var reader = RecordFieldReader(record, symbols)
        return try Group(from: &reader)
    }
}
