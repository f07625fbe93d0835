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

extension FieldReader {
    /// The pairs in every field `id`: nested messages of the fields 1 and 2.
    package static func pairs(_ id: UInt32, in bytes: RawSpan) -> [String: String] {
        var pairs: [String: String] = [:]
        var reader = FieldReader(bytes)
        while let field = reader.next() {
            guard field.id == id else { continue }
            var nested = FieldReader(field.bytes)
            var pair = (key: "", value: "")
            while let part = nested.next() {
                if part.id == 1 { pair.key = part.string }
                if part.id == 2 { pair.value = part.string }
            }
            pairs[pair.key] = pair.value
        }
        return pairs
    }
}

/// A message named in a record, by local id or by the bytes of its server id.
package enum ReferenceView: ~Escapable {
    case local(LocalMessageID)
    case server(RawSpan)
}

extension RecordView {
    /// The messages that the record is about (fields 3 and 4 of receipts, modifications, recalls, deletions).
    package func forEachReference<Failure: Error>(
        _ body: (ReferenceView) throws(Failure) -> Void
    ) throws(Failure) {
        var reader = fields
        while let field = reader.next() {
            switch field.id {
            case 3: try body(.local(LocalMessageID(field.number)))
            case 4: try body(.server(field.bytes))
            default: break
            }
        }
    }

    /// The number in the first field of this id, or nil.
    package func number(_ id: UInt32) -> UInt64? {
        var reader = fields
        while let field = reader.next() {
            if field.id == id { return field.number }
        }
        return nil
    }

    /// The signed number in the first field of this id; 0 where there is none.
    package func signed(_ id: UInt32) -> Int32 {
        var reader = fields
        while let field = reader.next() {
            if field.id == id { return Int32(truncatingIfNeeded: field.signed) }
        }
        return 0
    }

    /// The string in the first field of this id, or nil.
    package func string(_ id: UInt32) -> String? {
        var reader = fields
        while let field = reader.next() {
            if field.id == id { return field.string }
        }
        return nil
    }

    /// The strings in every field of this id.
    package func strings(_ id: UInt32) -> [String] {
        var strings: [String] = []
        var reader = fields
        while let field = reader.next() {
            if field.id == id { strings.append(field.string) }
        }
        return strings
    }

    /// The pairs in every field of this id.
    package func pairs(_ id: UInt32) -> [String: String] { FieldReader.pairs(id, in: fieldBytes) }

    /// The numbers of the first field of this id, or nil.
    package func packed(_ id: UInt32) -> [UInt32]? {
        var reader = fields
        while let field = reader.next() {
            if field.id == id { return field.packed }
        }
        return nil
    }

    /// The bytes in the first field of this id, or nil.
    @_lifetime(copy self)
    package func fieldContent(_ id: UInt32) -> RawSpan? {
        var reader = fields
        while let field = reader.next() {
            if field.id == id { return field.bytes }
        }
        return nil
    }

    /// Whether fields and content can be read to their end.
    package var isWellFormed: Bool {
        var reader = fields
        while reader.next() != nil {}
        if reader.isMalformed { return false }
        guard type.isKnown else { return true }
        var contentReader = FieldReader(content)
        while contentReader.next() != nil {}
        return !contentReader.isMalformed
    }
}
