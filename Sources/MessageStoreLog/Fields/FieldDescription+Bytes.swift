/// The form in which events and rows of hosts are described to those who do not have the host's code.
extension FieldDescription {
    /// The description as numbered fields.
    package var bytes: [UInt8] {
        var writer = FieldWriter()
        writer.field(1, name)
        writer.field(2, part.rawValue)
        if let number { writer.field(3, UInt64(number)) }
        writer.field(4, place?.rawValue)
        writer.field(5, type.kind.rawValue)
        writer.field(6, type.isOptional)
        writer.field(7, type.isList)
        if fieldClass != type.defaultClass, part == .fields { writer.field(8, fieldClass.rawValue) }
        writer.field(9, refusesEmpty)
        return writer.bytes
    }

    /// Reads what ``bytes`` wrote; nil for a field of a kind that only a newer version has.
    package init?(_ reader: FieldReader) {
        guard let name = reader.firstString(1), let part = reader.firstString(2).flatMap(Part.init(rawValue:)),
            let kind = reader.firstString(5).flatMap(FieldType.Kind.init(rawValue:))
        else { return nil }
        self.init(
            name: name, part: part, number: reader.firstNumber(3).map { UInt32(truncatingIfNeeded: $0) },
            place: reader.firstString(4).flatMap(EnvelopePlace.init(rawValue:)),
            type: FieldType(kind, isOptional: reader.firstNumber(6) == 1, isList: reader.firstNumber(7) == 1),
            fieldClass: reader.firstString(8).flatMap(FieldClass.init(rawValue:)),
            refusesEmpty: reader.firstNumber(9) == 1)
    }
}
