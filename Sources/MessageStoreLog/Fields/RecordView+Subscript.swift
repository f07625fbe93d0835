/// A field's value as it stands in a record, with numbers for users and conversations, so that folds look nothing up.
package protocol StoredValue: FieldValue {
    associatedtype Stored
    /// What a fold reads of the first field of a number; nil where there is none.
    static func stored(_ number: UInt32, in fields: FieldReader) -> Stored?
    /// What a fold reads where the record lacks the field.
    static var storedPlaceholder: Stored { get }
}

extension RecordView {
    /// The value of a field as it is stored; a number that does not fit its type is cut.
    package subscript<Value: StoredValue>(_ field: Field<Value>) -> Value.Stored {
        Value.stored(field.number, in: fields) ?? Value.storedPlaceholder
    }

    /// The bytes of a string or bytes field; nil where there is none.
    @_lifetime(copy self)
    package func bytes<Value>(of field: Field<Value>) -> RawSpan? {
        fields.first(field.number)?.bytes
    }

    /// The messages that a field names.
    package func forEachReference<Value, Failure: Error>(
        _ field: Field<Value>, _ body: (ReferenceView) throws(Failure) -> Void
    ) throws(Failure) {
        try fields.forEachReference(field.number, body)
    }

    /// The messages that the event is about, where it is about messages.
    package func forEachReference<Failure: Error>(_ body: (ReferenceView) throws(Failure) -> Void) throws(Failure) {
        try fields.forEachReference(MessageReference.fieldNumber, body)
    }
}

extension Bool: StoredValue {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> Bool? {
        (fields.first(number)?.number).map { $0 == 1 }
    }
    package static var storedPlaceholder: Bool { false }
}

extension StoredValue where Self: FixedWidthInteger & UnsignedInteger {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> Self? {
        (fields.first(number)?.number).map { Self(truncatingIfNeeded: $0) }
    }
    package static var storedPlaceholder: Self { 0 }
}

extension UInt8: StoredValue {}
extension UInt32: StoredValue {}
extension UInt64: StoredValue {}

extension Int32: StoredValue {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> Int32? {
        (fields.first(number)?.signed).map { Int32(truncatingIfNeeded: $0) }
    }
    package static var storedPlaceholder: Int32 { 0 }
}

extension Timestamp: StoredValue {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> Timestamp? {
        (fields.first(number)?.number).map { Timestamp(milliseconds: Int64(bitPattern: $0)) }
    }
    package static var storedPlaceholder: Timestamp { .unknown }
}

extension StoredValue where Self: RawRepresentable, RawValue: StoredValue, RawValue.Stored == RawValue {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> Self? {
        RawValue.stored(number, in: fields).flatMap { Self(rawValue: $0) }
    }
    package static var storedPlaceholder: Self { _placeholder }
}

extension LocalMessageID: StoredValue {}
extension MessageStatus: StoredValue {}
extension MessageFlags: StoredValue {}
extension AttachmentState: StoredValue {}
extension DuplicateRule: StoredValue {}
extension ChatRoomLeaveReason: StoredValue {}
extension JoinKind: StoredValue {}
extension LeaveKind: StoredValue {}
extension SessionState: StoredValue {}

extension String: StoredValue {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> String? { fields.first(number)?.string }
    package static var storedPlaceholder: String { "" }
}

extension UserID: StoredValue {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> UInt32? {
        UInt32.stored(number, in: fields)
    }
    package static var storedPlaceholder: UInt32 { 0 }
}

extension Array: StoredValue where Element: StoredElement {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> [Element.Stored]? {
        Element.storedList(number, in: fields)
    }
    package static var storedPlaceholder: [Element.Stored] { [] }
}

/// An element of a list, as it stands in a record.
package protocol StoredElement: ListElement {
    associatedtype Stored
    static func storedList(_ number: UInt32, in fields: FieldReader) -> [Stored]?
}

extension String: StoredElement {
    package static func storedList(_ number: UInt32, in fields: FieldReader) -> [String]? { fields.strings(number) }
}

extension UserID: StoredElement {
    package static func storedList(_ number: UInt32, in fields: FieldReader) -> [UInt32]? {
        fields.first(number)?.packed
    }
}

extension ConversationKey: StoredElement {
    package typealias Stored = UInt32
    package static func storedList(_ number: UInt32, in fields: FieldReader) -> [UInt32]? {
        fields.first(number)?.packed
    }
}

extension [String: String]: StoredValue {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> [String: String]? { fields.pairs(number) }
    package static var storedPlaceholder: [String: String] { [:] }
}

extension Optional: StoredValue where Wrapped: StoredValue {
    package static func stored(_ number: UInt32, in fields: FieldReader) -> Wrapped.Stored?? {
        .some(Wrapped.stored(number, in: fields))
    }
    package static var storedPlaceholder: Wrapped.Stored? { nil }
}
