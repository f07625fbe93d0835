extension FieldReader.Field {
    /// The numbers of a packed list; stops at broken bytes.
    package func forEachPacked<Failure: Error>(_ body: (UInt32) throws(Failure) -> Void) throws(Failure) {
        var reader = FieldReader(bytes)
        while !reader.isAtEnd, let number = reader.varint() {
            try body(UInt32(truncatingIfNeeded: number))
        }
    }

    package var packed: [UInt32] {
        var numbers: [UInt32] = []
        forEachPacked { numbers.append($0) }
        return numbers
    }
}

/// A message named in a record, by local id or by the bytes of its server id.
package enum ReferenceView: ~Escapable {
    case local(LocalMessageID)
    case server(RawSpan)
}

extension FieldReader {
    /// The first field of this number, or nil.
    @_lifetime(copy self)
    package func first(_ number: UInt32) -> Field? {
        var reader = self
        while let field = reader.next() {
            if field.id == number { return field }
        }
        return nil
    }

    /// The number in the first field of this number, or nil.
    @usableFromInline package func firstNumber(_ number: UInt32) -> UInt64? { first(number)?.number }

    /// The signed number in the first field of this number, or nil.
    @usableFromInline package func firstSigned(_ number: UInt32) -> Int64? { first(number)?.signed }

    /// The string in the first field of this number, or nil.
    @usableFromInline package func firstString(_ number: UInt32) -> String? { first(number)?.string }

    /// The packed numbers in the first field of this number, or nil.
    @usableFromInline package func firstPacked(_ number: UInt32) -> [UInt32]? { first(number)?.packed }

    /// The number in every field of this number.
    package func forEachNumber<Failure: Error>(
        _ number: UInt32, _ body: (UInt64) throws(Failure) -> Void
    ) throws(Failure) {
        var reader = self
        while let field = reader.next() {
            if field.id == number { try body(field.number) }
        }
    }

    /// The strings in every field of this number.
    @usableFromInline package func strings(_ number: UInt32) -> [String] {
        var strings: [String] = []
        var reader = self
        while let field = reader.next() {
            if field.id == number { strings.append(field.string) }
        }
        return strings
    }

    /// The pairs in every field of this number: groups of the fields 1 and 2.
    @usableFromInline package func pairs(_ number: UInt32) -> [String: String] {
        var pairs: [String: String] = [:]
        var reader = self
        while let field = reader.next() {
            guard field.id == number else { continue }
            var nested = FieldReader(field.bytes)
            var pair = (key: "", value: "")
            while let part = nested.next() {
                if part.id == 1 { pair.key = part.string }
                if part.id == 2 { pair.value = part.string }
            }
            if pairs.isEmpty { pairs.reserveCapacity(4) }
            pairs[pair.key] = pair.value
        }
        return pairs
    }

    /// The messages in every field of this number (local ids) and the next (server ids), in their order.
    package func forEachReference<Failure: Error>(
        _ number: UInt32, _ body: (ReferenceView) throws(Failure) -> Void
    ) throws(Failure) {
        var reader = self
        while let field = reader.next() {
            switch field.id {
            case number: try body(.local(LocalMessageID(field.number)))
            case number &+ 1: try body(.server(field.bytes))
            default: break
            }
        }
    }
}

/// The numbers that a record's fields have, and those of its content.
package struct RecordNumbers: Sendable {
    /// For records that were not looked through.
    static let all = RecordNumbers(fields: .all, content: .all)

    let fields: FieldNumbers
    let content: FieldNumbers
}

extension RecordView {
    /// The numbers of fields and content; nil where they cannot be read to their end. Of a type that is not built in
    /// the content is not looked at.
    package var numbers: RecordNumbers? {
        guard let fields = fields.numbers else { return nil }
        guard type.isKnown else { return RecordNumbers(fields: fields, content: .all) }
        return FieldReader(content).numbers.map { RecordNumbers(fields: fields, content: $0) }
    }
}
