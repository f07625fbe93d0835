@_spi(Storage) internal import MessageStoreLog

/// The bytes of a row of `conversationInfo`, of which only what a condition asks for is read.
struct ConversationInfoFields {
    private let bytes: [UInt8]

    /// - Throws: ``StoreError`` with code `viewsDamaged` where the bytes are no such row.
    init(of conversation: ConversationNumber, _ snapshot: borrowing ViewSnapshot) throws {
        let table = ConversationList.info
        bytes = try snapshot.row(table.place, at: conversation.rawValue)?.copied ?? []
        var reader = FieldReader(bytes.span.bytes)
        while reader.next() != nil {}
        if reader.isMalformed { throw StoreError.unreadableRow(of: table, at: conversation) }
    }

    var name: String? { FieldReader(bytes.span.bytes).firstString(ConversationFields.name.number) }

    var creator: UserNumber {
        let number = FieldReader(bytes.span.bytes).firstNumber(ConversationFields.creator.number) ?? 0
        return UserNumber(rawValue: UInt32(truncatingIfNeeded: number))
    }

    func hasTag(_ tag: String) -> Bool {
        tag.withUTF8Bytes { tag in
            let tag = RawSpan(_unsafeBytes: tag)
            var reader = FieldReader(bytes.span.bytes)
            while let field = reader.next() {
                if field.id == ConversationInfo.tagField, field.bytes.isEqual(to: tag) { return true }
            }
            return false
        }
    }

    /// What a query compares an attribute by, which the host's strings go before; nil where there is none.
    func value(ofAttribute name: String) -> JSONValue? {
        name.withUTF8Bytes { name in
            let name = RawSpan(_unsafeBytes: name)
            let fields = FieldReader(bytes.span.bytes)
            if let pairs = fields.first(ConversationFields.indexed.number),
                let string = IndexedAttributes.value(of: name, in: pairs.bytes)
            {
                return .string(string)
            }
            guard let values = fields.first(ConversationInfo.valueField) else { return nil }
            return AttributeValues.value(of: name, in: values.bytes)
        }
    }
}
