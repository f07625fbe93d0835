extension EventTypes {
    /// The event with its typed payload, where it is an unknown one of a registered type in a version that this one can
    /// read; any other is given back as it is.
    ///
    /// - Parameter position: Where its record is; nil where it is not recorded.
    /// - Throws: ``StoreError`` with code `recordDamaged`, or `invalidArgument` where it is not recorded, naming a
    ///   field that cannot be read; or what the payload's initialiser throws.
    package func typed(_ event: Event, at position: Position? = nil) throws -> Event {
        guard let unknown = event.payload as? UnknownEvent, let entry = hosts[unknown.type],
            unknown.schemaVersion <= entry.declaration.version
        else { return event }
        guard !FieldReader(unknown.content.span.bytes).isBroken else {
            throw StoreError(
                position == nil ? .invalidArgument : .recordDamaged, "\(entry.declaration.name) has broken content",
                position: position)
        }
        var reader = HostFieldReader(unknown, event.serverTime, name: entry.declaration.name, position)
        var typed = event
        typed.payload = try entry.payload.read(&reader, version: unknown.schemaVersion)
        // The host that raised the version knows what earlier versions held.
        if unknown.schemaVersion == entry.declaration.version {
            typed.unknownFields.fields = FieldReader(unknown.fields.span.bytes).bytes(except: entry.numbers.fields)
            typed.unknownFields.content = FieldReader(unknown.content.span.bytes).bytes(except: entry.numbers.content)
        }
        return typed
    }

    /// Checks that an unknown event of a registered type is one that the payload could have written.
    func validateUnknown(_ event: Event) throws {
        guard event.payload is UnknownEvent else { return }
        let typed = try typed(event)
        guard !(typed.payload is UnknownEvent) else { return }
        try typed.payload.validateFields()
        try typed.payload.validate()
    }

    /// Whether the record is one of a registered type in an earlier version.
    func isOutdated(_ record: RecordView) -> Bool {
        guard record.type.isHosts, let entry = hosts[record.type] else { return false }
        return record.schemaVersion < entry.declaration.version
    }

    /// The bytes of an event's record, which are others where the payload was read from an earlier version of its type.
    ///
    /// - Parameters:
    ///   - stored: The bytes that the record takes.
    ///   - version: The version that wrote it.
    package func byteCount(of event: Event, stored: Int, version: UInt8) throws -> Int {
        guard isRegistered(event.type), version < event.payload.schemaVersion, !(event.payload is UnknownEvent) else {
            return stored
        }
        let parts = try parts(ofHosts: event)
        let clock = event.correctedTime == nil ? 0 : RecordLayout.clockSize
        return RecordLayout.headerSize + clock + parts.fields.count + parts.content.count
    }

    /// The fields and content of a host's event, which need no log to be written.
    func parts(ofHosts event: Event) throws -> RecordFieldWriter {
        var parts = RecordFieldWriter(account: UserID(""), symbols: nil)
        parts.begin(event, Swift.type(of: event.payload), self)
        try event.payload.encode(to: &parts)
        return parts
    }
}

extension EventPayload {
    /// Reads the fields of a version up to the declared one.
    static func read(_ fields: inout some FieldDecoder, version: UInt8) throws -> any EventPayload {
        version < declaration.version ? try Self(upcasting: &fields, from: version) : try Self(from: &fields)
    }
}
