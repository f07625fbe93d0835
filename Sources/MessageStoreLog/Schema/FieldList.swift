/// A field group whose fields are declared once, each with the property that it stores.
///
/// ```swift
/// struct Vote: EventPayload, DeclaredFields {
///     var message: ServerMessageID
///     var choice: UInt8
///     var note: String?
///
///     static let declaration = EventDeclaration("com.example.vote", scope: .conversation)
///     static let message = FieldOf(3, "message", \Self.message)
///     static let choice = FieldOf(5, "choice", \Self.choice)
///     static let note = ContentFieldOf(1, "note", \Self.note)
///     static let fieldList = FieldList(Self.init, message, choice, note)
/// }
/// ```
///
/// Reading and writing follow from the list. A group that does not fit, such as one whose fields depend on each other,
/// conforms to ``FieldGroup`` and reads and writes its fields itself.
public protocol DeclaredFields: FieldGroup {
    /// The type of ``fieldList``, a ``FieldList``.
    associatedtype Listing: FieldListing where Listing.Root == Self
    /// The fields, in the order in which they are written, with the initialiser that takes their values.
    static var fieldList: Listing { get }
}

extension DeclaredFields {
    /// Reads the fields of the list.
    public init(from fields: inout some FieldDecoder) throws { self = try Self.fieldList.read(from: &fields) }
    /// Writes the fields of the list.
    public func encode(to fields: inout some FieldEncoder) throws { try Self.fieldList.write(self, to: &fields) }
}

/// As ``DeclaredFields``, for types whose fields only this package names.
package protocol BuiltInFields: BuiltInGroup {
    associatedtype Listing: FieldListing where Listing.Root == Self
    static var fieldList: Listing { get }
}

extension BuiltInFields {
    package init(reading fields: inout some FieldDecoder) throws { self = try Self.fieldList.read(from: &fields) }
    package func write(to fields: inout some FieldEncoder) throws { try Self.fieldList.write(self, to: &fields) }
}

/// A ``FieldList`` of any fields. The library provides the only one.
public protocol FieldListing<Root>: Sendable {
    /// The group that has the fields.
    associatedtype Root
    @_spi(Storage) func read(from fields: inout some FieldDecoder) throws -> Root
    @_spi(Storage) func write(_ root: Root, to fields: inout some FieldEncoder) throws
}

/// The fields of a group, in the order in which they are written, with the initialiser that takes their values.
///
/// A class, since every event that is read or written gets its list; a copy of it would cost more than the event.
public final class FieldList<Root, each Value>: FieldListing {
    private let make: @Sendable (repeat each Value) throws -> Root
    /// A ``ListedPart`` for each value, without its type: Swift looks that of a pack of existentials up for each read.
    private let parts: ContiguousArray<any AnyObject & Sendable>

    /// Creates the list.
    ///
    /// - Parameters:
    ///   - make: Takes the values of the fields in the order of the list.
    ///   - parts: The fields.
    public init(
        _ make: @escaping @Sendable (repeat each Value) throws -> Root, _ parts: repeat any FieldPart<Root, each Value>
    ) {
        self.make = make
        var listed: ContiguousArray<any AnyObject & Sendable> = []
        repeat listed.append(Self.listed(each parts))
        self.parts = listed
    }

    private static func listed(_ part: some FieldPart) -> any AnyObject & Sendable { ListedPartOf(part) }

    /// Reads the value.
    @_spi(Storage) public func read(from fields: inout some FieldDecoder) throws -> Root {
        var index = 0
        return try make(repeat next(&index, (each Value).self).read(from: &fields))
    }

    /// Writes the value.
    @_spi(Storage) public func write(_ root: Root, to fields: inout some FieldEncoder) throws {
        var index = 0
        repeat try next(&index, (each Value).self).write(root, to: &fields)
    }

    @inline(__always)
    private func next<Part>(_ index: inout Int, _ value: Part.Type) -> ListedPart<Root, Part> {
        defer { index += 1 }
        return unsafeDowncast(parts[index], to: ListedPart<Root, Part>.self)
    }
}

/// A ``FieldPart`` of any type, as a class: a reference to it needs no metadata.
private class ListedPart<Root, Value>: @unchecked Sendable {
    func read(from fields: inout some FieldDecoder) throws -> Value { preconditionFailure("no part") }
    func write(_ root: Root, to fields: inout some FieldEncoder) throws {}
}

private final class ListedPartOf<Part: FieldPart>: ListedPart<Part.Root, Part.Value>, @unchecked Sendable {
    private let part: Part

    init(_ part: Part) { self.part = part }

    override func read(from fields: inout some FieldDecoder) throws -> Part.Value { try part.read(from: &fields) }
    override func write(_ root: Part.Root, to fields: inout some FieldEncoder) throws {
        try part.write(root, to: &fields)
    }
}

/// A field of a group, or a group within it. The library provides all of them.
public protocol FieldPart<Root, Value>: Sendable {
    /// The group that has the field.
    associatedtype Root
    /// The type of the field's values.
    associatedtype Value
    @_spi(Storage) func read(from fields: inout some FieldDecoder) throws -> Value
    @_spi(Storage) func write(_ root: Root, to fields: inout some FieldEncoder) throws
}

/// A ``Field`` with the property that it stores.
public struct FieldOf<Root, Value: FieldValue>: FieldPart {
    /// The field's place in a record.
    public let field: Field<Value>
    private let value: @Sendable (Root) -> Value

    /// Declares a field; `value` is a key path, or a closure that computes the value.
    public init(
        _ number: UInt32, _ name: StaticString, _ value: @escaping @Sendable (Root) -> Value, _ rule: FieldRule = .any,
        _ fieldClass: FieldClass? = nil
    ) {
        field = Field(number, name, rule, fieldClass)
        self.value = value
    }

    /// Reads the value.
    @_spi(Storage) public func read(from fields: inout some FieldDecoder) throws -> Value { try fields.decode(field) }
    /// Writes the value.
    @_spi(Storage) public func write(_ root: Root, to fields: inout some FieldEncoder) throws {
        try fields.encode(value(root), for: field)
    }
}

/// A ``ContentField`` with the property that it stores.
public struct ContentFieldOf<Root, Value: FieldValue>: FieldPart {
    /// The field's place in a record.
    public let field: ContentField<Value>
    private let value: @Sendable (Root) -> Value

    /// Declares a field; `value` is a key path, or a closure that computes the value.
    public init(_ number: UInt32, _ name: StaticString, _ value: @escaping @Sendable (Root) -> Value) {
        field = ContentField(number, name)
        self.value = value
    }

    /// Reads the value.
    @_spi(Storage) public func read(from fields: inout some FieldDecoder) throws -> Value { try fields.decode(field) }
    /// Writes the value.
    @_spi(Storage) public func write(_ root: Root, to fields: inout some FieldEncoder) throws {
        try fields.encode(value(root), for: field)
    }
}

/// An ``EnvelopeField`` with the property that it stores.
public struct EnvelopeFieldOf<Root, Value: FieldValue>: FieldPart {
    /// The field's place in a record.
    public let field: EnvelopeField<Value>
    private let value: @Sendable (Root) -> Value

    /// Declares a field; `value` is a key path, or a closure that computes the value.
    public init(
        _ part: EnvelopePart<Value>, _ name: StaticString, _ value: @escaping @Sendable (Root) -> Value
    ) {
        field = EnvelopeField(part, name)
        self.value = value
    }

    /// Reads the value.
    @_spi(Storage) public func read(from fields: inout some FieldDecoder) throws -> Value { try fields.decode(field) }
    /// Writes the value.
    @_spi(Storage) public func write(_ root: Root, to fields: inout some FieldEncoder) throws {
        try fields.encode(value(root), for: field)
    }
}

/// A group within another, whose fields are listed among the other's.
public struct GroupOf<Root, Value: FieldGroup>: FieldPart {
    private let value: @Sendable (Root) -> Value

    /// Declares the group; `value` is a key path.
    public init(_ value: @escaping @Sendable (Root) -> Value) { self.value = value }

    /// Reads the value.
    @_spi(Storage) public func read(from fields: inout some FieldDecoder) throws -> Value { try Value(from: &fields) }
    /// Writes the value.
    @_spi(Storage) public func write(_ root: Root, to fields: inout some FieldEncoder) throws {
        try value(root).encode(to: &fields)
    }
}

extension FieldOf {
    /// The number in the log.
    @inlinable package var number: UInt32 { field.number }
    /// The value that a group has.
    package func value(of root: Root) -> Value { value(root) }
}

/// A record as an event of one type: reading another type's field does not compile.
package struct EventView<Payload>: ~Escapable {
    @usableFromInline package let record: RecordView

    /// - Parameter record: An event of the type.
    @_lifetime(copy record)
    @inlinable package init(_ record: RecordView) { self.record = record }

    /// The value of a field as it is stored; a number that does not fit its type is cut.
    @inlinable package subscript<Value: StoredValue>(_ field: FieldOf<Payload, Value>) -> Value.Stored {
        record[field.field]
    }
}

extension RecordView {
    /// The value of a field as it is stored; a number that does not fit its type is cut.
    @inlinable package subscript<Root, Value: StoredValue>(_ field: FieldOf<Root, Value>) -> Value.Stored {
        self[field.field]
    }
}
