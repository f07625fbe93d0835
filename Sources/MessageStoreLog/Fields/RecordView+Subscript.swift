/// A field's value as stored in a record, with numbers for users and conversations, so that folds look nothing up.
public protocol StoredValue: FieldValue {
    /// The value as it is stored.
    associatedtype Stored
    /// The value that a fold reads of the first field of a number; nil where there is none.
    static func stored(_ number: UInt32, in fields: FieldReader) -> Stored?
    /// The value that a fold reads if the record lacks the field.
    static var storedPlaceholder: Stored { get }
}

extension RecordView {
    /// The value of a field as it is stored; a number that does not fit its type is cut.
    @inlinable public subscript<Value: StoredValue>(_ field: Field<Value>) -> Value.Stored {
        Value.stored(field.number, in: fields) ?? Value.storedPlaceholder
    }

    /// The bytes of a string or bytes field; nil where there is none.
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
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> Bool? {
        fields.firstNumber(number).map { $0 == 1 }
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: Bool { false }
}

extension StoredValue where Self: FixedWidthInteger & UnsignedInteger {
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> Self? {
        fields.firstNumber(number).map { Self(truncatingIfNeeded: $0) }
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: Self { 0 }
}

extension UInt8: StoredValue {}
extension UInt32: StoredValue {}
extension UInt64: StoredValue {}

extension Int32: StoredValue {
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> Int32? {
        fields.firstSigned(number).map { Int32(truncatingIfNeeded: $0) }
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: Int32 { 0 }
}

extension Timestamp: StoredValue {
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> Timestamp? {
        fields.firstNumber(number).map { Timestamp(milliseconds: Int64(bitPattern: $0)) }
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: Timestamp { .unknown }
}

extension StoredValue where Self: RawRepresentable, RawValue: StoredValue, RawValue.Stored == RawValue {
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> Self? {
        RawValue.stored(number, in: fields).flatMap { Self(rawValue: $0) }
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: Self {
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
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> String? {
        fields.firstString(number)
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: String { "" }
}

extension UserID: StoredValue {
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> UInt32? {
        UInt32.stored(number, in: fields)
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: UInt32 { 0 }
}

extension Array: StoredValue where Element: StoredElement {
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> [Element.Stored]? {
        Element.storedList(number, in: fields)
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: [Element.Stored] { [] }
}

/// An element of a list, as stored in a record.
public protocol StoredElement: ListElement {
    /// An element as it is stored.
    associatedtype Stored
    /// The values that a fold reads of the list of a number; nil where there is none.
    static func storedList(_ number: UInt32, in fields: FieldReader) -> [Stored]?
}

extension String: StoredElement {
    /// As it is stored.
    @inlinable public static func storedList(_ number: UInt32, in fields: FieldReader) -> [String]? {
        fields.strings(number)
    }
}

extension UserID: StoredElement {
    /// As it is stored.
    @inlinable public static func storedList(_ number: UInt32, in fields: FieldReader) -> [UInt32]? {
        fields.firstPacked(number)
    }
}

extension ConversationKey: StoredElement {
    /// The conversation's number.
    public typealias Stored = UInt32
    /// As it is stored.
    @inlinable public static func storedList(_ number: UInt32, in fields: FieldReader) -> [UInt32]? {
        fields.firstPacked(number)
    }
}

extension [String: String]: StoredValue {
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> [String: String]? {
        fields.pairs(number)
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: [String: String] { [:] }
}

extension Optional: StoredValue where Wrapped: StoredValue {
    /// As it is stored.
    @inlinable public static func stored(_ number: UInt32, in fields: FieldReader) -> Wrapped.Stored?? {
        .some(Wrapped.stored(number, in: fields))
    }
    /// As it is stored.
    @inlinable public static var storedPlaceholder: Wrapped.Stored? { nil }
}
