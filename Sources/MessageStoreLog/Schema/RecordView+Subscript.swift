/// A field's value as stored in a record, with numbers for users and conversations, so that folds look nothing up.
@usableFromInline package protocol StoredValue: FieldValue {
    associatedtype Stored
    /// The value that a fold reads of the first field of a number; nil if there is none.
    static func stored(_ number: UInt32, in fields: FieldReader) -> Stored?
    /// The value that a fold reads if the record lacks the field.
    static var storedPlaceholder: Stored { get }
}

extension RecordView {
    /// The value of a field as it is stored; a number that does not fit its type is cut.
    @inlinable package subscript<Value: StoredValue>(_ field: Field<Value>) -> Value.Stored {
        Value.stored(field.number, in: fields) ?? Value.storedPlaceholder
    }

    /// The bytes of a string or bytes field; nil if there is none.
    @_lifetime(copy self)
    package func bytes<Value>(of field: Field<Value>) -> RawSpan? {
        guard fieldsLength > 0 else { return nil }
        return fields.first(field.number)?.bytes
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
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> Bool? {
        fields.firstNumber(number).map { $0 == 1 }
    }
    @inlinable package static var storedPlaceholder: Bool { false }
}

extension StoredValue where Self: FixedWidthInteger & UnsignedInteger {
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> Self? {
        fields.firstNumber(number).map { Self(truncatingIfNeeded: $0) }
    }
    @inlinable package static var storedPlaceholder: Self { 0 }
}

extension UInt8: StoredValue {}
extension UInt32: StoredValue {}
extension UInt64: StoredValue {}

extension Int32: StoredValue {
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> Int32? {
        fields.firstSigned(number).map { Int32(truncatingIfNeeded: $0) }
    }
    @inlinable package static var storedPlaceholder: Int32 { 0 }
}

extension Timestamp: StoredValue {
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> Timestamp? {
        fields.firstNumber(number).map { Timestamp(milliseconds: Int64(bitPattern: $0)) }
    }
    @inlinable package static var storedPlaceholder: Timestamp { .unknown }
}

extension StoredValue where Self: RawRepresentable, RawValue: StoredValue, RawValue.Stored == RawValue {
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> Self? {
        RawValue.stored(number, in: fields).flatMap { Self(rawValue: $0) }
    }
    @inlinable package static var storedPlaceholder: Self {
        guard let value = Self(rawValue: RawValue.storedPlaceholder) else {
            preconditionFailure("\(Self.self) has no value for what is missing")
        }
        return value
    }
}

extension LocalMessageID: StoredValue {}
extension Position: StoredValue {}
extension PendingChangeStatus: StoredValue {}
extension MessageStatus: StoredValue {}
extension MessageFlags: StoredValue {}
extension AttachmentState: StoredValue {}
extension DuplicateRule: StoredValue {}
extension ChatRoomLeaveReason: StoredValue {}
extension ConversationKind: StoredValue {}
extension JoinKind: StoredValue {}
extension LeaveKind: StoredValue {}
extension SessionState: StoredValue {}

extension String: StoredValue {
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> String? {
        fields.firstString(number)
    }
    @inlinable package static var storedPlaceholder: String { "" }
}

extension UserID: StoredValue {
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> UInt32? {
        UInt32.stored(number, in: fields)
    }
    @inlinable package static var storedPlaceholder: UInt32 { 0 }
}

extension Array: StoredValue where Element: StoredElement {
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> [Element.Stored]? {
        Element.storedList(number, in: fields)
    }
    @inlinable package static var storedPlaceholder: [Element.Stored] { [] }
}

/// An element of a list, as stored in a record.
@usableFromInline package protocol StoredElement: ListElement {
    associatedtype Stored
    /// The values that a fold reads of the list of a number; nil if there is none.
    static func storedList(_ number: UInt32, in fields: FieldReader) -> [Stored]?
}

extension String: StoredElement {
    @inlinable package static func storedList(_ number: UInt32, in fields: FieldReader) -> [String]? {
        fields.strings(number)
    }
}

extension UserID: StoredElement {
    @inlinable package static func storedList(_ number: UInt32, in fields: FieldReader) -> [UInt32]? {
        fields.firstPacked(number)
    }
}

extension ConversationKey: StoredElement {
    @usableFromInline package typealias Stored = UInt32
    @inlinable package static func storedList(_ number: UInt32, in fields: FieldReader) -> [UInt32]? {
        fields.firstPacked(number)
    }
}

extension [String: String]: StoredValue {
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> [String: String]? {
        fields.pairs(number)
    }
    @inlinable package static var storedPlaceholder: [String: String] { [:] }
}

extension Optional: StoredValue where Wrapped: StoredValue {
    @inlinable package static func stored(_ number: UInt32, in fields: FieldReader) -> Wrapped.Stored?? {
        .some(Wrapped.stored(number, in: fields))
    }
    @inlinable package static var storedPlaceholder: Wrapped.Stored? { nil }
}
