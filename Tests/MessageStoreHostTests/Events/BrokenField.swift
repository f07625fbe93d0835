import MessageStore

/// Payloads without fields, for declarations that are refused.
protocol Bare: EventPayload {
    init()
}

extension Bare {
    init(from fields: inout some FieldDecoder) throws { self.init() }
    func encode(to fields: inout some FieldEncoder) throws {}
}

struct NoDot: Bare { static let declaration = EventDeclaration("message-starred", scope: .any) }
struct Capital: Bare { static let declaration = EventDeclaration("com.example.Starred", scope: .any) }
struct EmptyLabel: Bare { static let declaration = EventDeclaration("com..x", scope: .any) }
struct VersionZero: Bare { static let declaration = EventDeclaration("com.example.zero", version: 0, scope: .any) }
struct LowNumber: Bare { static let declaration = EventDeclaration("com.example.low", scope: .any, number: 0x7FFF) }
struct NumberA: Bare { static let declaration = EventDeclaration("com.example.a", scope: .any, number: 0x9000) }
struct OtherA: Bare { static let declaration = EventDeclaration("com.example.a", scope: .any, number: 0x9001) }
struct NumberB: Bare { static let declaration = EventDeclaration("com.example.b", scope: .any, number: 0x9000) }

/// A field that no declaration may have.
protocol BrokenField: Hashable, Sendable {
    associatedtype Value: FieldValue
    static var field: Field<Value> { get }
}

enum Low: BrokenField { static let field = Field<UInt8>(2, "f") }
enum High: BrokenField { static let field = Field<UInt8>(64, "f") }
enum TwoAtTheEnd: BrokenField { static let field = Field<MessageReference>(63, "f") }
enum Enormous: BrokenField { static let field = Field<MessageOrder>(.max, "f") }
enum OptionalList: BrokenField { static let field = Field<[String]?>(3, "f") }
enum OptionalFlag: BrokenField { static let field = Field<Bool?>(3, "f") }
enum NoPlaceholder: BrokenField {
    enum Colour: UInt8, FieldValue { case red = 1 }
    static let field = Field<Colour>(3, "f")
}

/// A payload with one such field.
struct Fielded<F: BrokenField>: EventPayload {
    var value: F.Value
    static var declaration: EventDeclaration { EventDeclaration("com.example.fielded", scope: .any) }
    init(from fields: inout some FieldDecoder) throws { value = try fields.decode(F.field) }
    func encode(to fields: inout some FieldEncoder) throws { try fields.encode(value, for: F.field) }
}

/// Two fields that are in each other's way.
protocol TwoFields: EventPayload {
    var a: String { get }
    var b: String { get }
    init(a: String, b: String)
    static var fields: (Field<String>, Field<String>) { get }
}

extension TwoFields {
    init(from fields: inout some FieldDecoder) throws {
        self.init(a: try fields.decode(Self.fields.0), b: try fields.decode(Self.fields.1))
    }
    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(a, for: Self.fields.0)
        try fields.encode(b, for: Self.fields.1)
    }
}

struct TwoInOnePlace: TwoFields {
    var (a, b) = ("", "")
    static let declaration = EventDeclaration("com.example.one-place", scope: .any)
    static let fields = (Field<String>(3, "a"), Field<String>(3, "b"))
}

struct SameName: TwoFields {
    var (a, b) = ("", "")
    static let declaration = EventDeclaration("com.example.one-name", scope: .any)
    static let fields = (Field<String>(3, "a"), Field<String>(4, "a"))
}

struct TwoActors: EventPayload {
    var a, b: UserID?
    static let declaration = EventDeclaration("com.example.two-actors", scope: .any)
    static let fields = (EnvelopeField(.optionalActor, "a"), EnvelopeField(.optionalActor, "b"))
    init(from fields: inout some FieldDecoder) throws {
        (a, b) = (try fields.decode(Self.fields.0), try fields.decode(Self.fields.1))
    }
    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(a, for: Self.fields.0)
        try fields.encode(b, for: Self.fields.1)
    }
}

/// One field of some type, and what may be wrong with how it is used.
struct WithoutWriting: EventPayload {
    var a: String
    static let declaration = EventDeclaration("com.example.without-writing", scope: .any)
    init(from fields: inout some FieldDecoder) throws { a = try fields.decode(Field<String>(3, "a")) }
    func encode(to fields: inout some FieldEncoder) throws {}
}

struct Refusing: EventPayload {
    var a, b: String
    static let declaration = EventDeclaration("com.example.refusing", scope: .any)
    struct Refusal: Error {}
    init(from fields: inout some FieldDecoder) throws {
        a = try fields.decode(Field<String>(3, "a"))
        guard !a.isEmpty else { throw Refusal() }
        b = try fields.decode(Field<String>(4, "b"))
    }
    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(a, for: Field<String>(3, "a"))
        try fields.encode(b, for: Field<String>(4, "b"))
    }
}

struct RequiredContent: EventPayload {
    var a: String
    static let declaration = EventDeclaration("com.example.required-content", scope: .any)
    init(from fields: inout some FieldDecoder) throws { a = try fields.decode(ContentField<String>(1, "a")) }
    func encode(to fields: inout some FieldEncoder) throws { try fields.encode(a, for: ContentField<String>(1, "a")) }
}

/// Writes a field that it did not declare, if its number is not 0.
struct Sly: EventPayload {
    var number: UInt32
    static let declaration = EventDeclaration("com.example.sly", scope: .any)
    init(number: UInt32) { self.number = number }
    init(from fields: inout some FieldDecoder) throws { number = try fields.decode(Field<UInt32>(3, "a")) }
    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(number, for: Field<UInt32>(3, "a"))
        if number > 0 { try fields.encode(.server("s"), for: Field<MessageReference>(number, "hidden")) }
    }
}

/// The same type a release later, with a field more.
struct SlyWithMore: EventPayload {
    var a: UInt32
    var b: String?
    static let declaration = EventDeclaration("com.example.sly", scope: .any)
    init(from fields: inout some FieldDecoder) throws {
        a = try fields.decode(Field<UInt32>(3, "a"))
        b = try fields.decode(Field<String?>(4, "b"))
    }
    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(a, for: Field<UInt32>(3, "a"))
        try fields.encode(b, for: Field<String?>(4, "b"))
    }
}

struct Changing<Value: FieldValue>: EventPayload {
    var a: Value
    static var declaration: EventDeclaration { EventDeclaration("com.example.changing", scope: .any) }
    init(from fields: inout some FieldDecoder) throws { a = try fields.decode(Field<Value>(3, "a")) }
    func encode(to fields: inout some FieldEncoder) throws { try fields.encode(a, for: Field<Value>(3, "a")) }
}

struct WrongScope: ConversationPayload {
    static let declaration = EventDeclaration("com.example.wrong-scope", scope: .account)
    init(from fields: inout some FieldDecoder) throws {}
    func encode(to fields: inout some FieldEncoder) throws {}
}

struct AnyScope: AccountPayload {
    static let declaration = EventDeclaration("com.example.any-scope", scope: .any)
    init(from fields: inout some FieldDecoder) throws {}
    func encode(to fields: inout some FieldEncoder) throws {}
}
