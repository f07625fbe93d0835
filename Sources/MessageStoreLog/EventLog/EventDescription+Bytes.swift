extension EventDescription {
    /// Type and version: the number under which the description is in the log.
    package var number: UInt32 { UInt32(type.rawValue) << 8 | UInt32(version) }

    /// The description in the form of the log.
    package var bytes: [UInt8] {
        var writer = FieldWriter()
        writer.field(1, name)
        writer.field(2, UInt64(scope.code))
        for field in fields { writer.field(3, field.bytes) }
        return writer.bytes
    }

    /// Reads what ``bytes`` wrote; a field of a kind that only a newer version has is left out.
    package init?(number: UInt32, bytes: [UInt8]) {
        let reader = FieldReader(bytes.span.bytes)
        guard !reader.isBroken, let name = reader.firstString(1) else { return nil }
        var fields: [FieldDescription] = []
        var all = reader
        while let field = all.next() {
            guard field.id == 3 else { continue }
            if let description = FieldDescription(FieldReader(field.bytes)) { fields.append(description) }
        }
        self.init(
            type: EventType(rawValue: UInt16(truncatingIfNeeded: number >> 8)), name: name,
            version: UInt8(truncatingIfNeeded: number), scope: EventScope(code: reader.firstNumber(2) ?? 0),
            fields: fields)
    }
}

extension EventScope {
    fileprivate static let codes: [EventScope] = [.any, .conversation, .chatRoom, .account]

    fileprivate var code: Int { Self.codes.firstIndex(of: self) ?? 0 }

    fileprivate init(code: UInt64) {
        self = code < UInt64(Self.codes.count) ? Self.codes[Int(code)] : .any
    }
}
