/// A type of content: how it is decoded, encoded, counted and previewed.
///
/// The store keeps the bytes of content and never interprets them. They are decoded when a payload is needed, so a type
/// that is registered later applies to old messages as well, and removing it harms none.
public protocol MessagePayload: Sendable {
    /// The type of its content, unique among registered types.
    static var contentType: ContentType { get }
    /// Whether messages of this type are kept and count; nil leaves it to the sender's flag. Default: nil.
    static var policy: MessagePolicy? { get }
    /// Decodes content; if this throws, the content is treated as unknown.
    init(decoding content: MessageContent) throws
    /// The content to send, of the type ``contentType``; throws if the payload must not be sent.
    func encode() throws -> MessageContent
    /// The preview in the conversation list, or nil for the content's text or the type's label. Default: nil.
    var preview: String? { get }
}

extension MessagePayload {
    /// Leaves the policy to the sender's flag.
    public static var policy: MessagePolicy? { nil }
    /// Leaves the preview to the content's text, or the type's label.
    public var preview: String? { nil }
}

/// A payload that is encoded as JSON, with an optional text.
///
/// A conforming type declares its stored properties and nothing else. Unknown keys of the JSON are
/// ignored; they stay in the message's bytes.
public protocol JSONPayload: MessagePayload, Codable {
    /// The text that accompanies the content, kept as the content's text and not in the JSON. Default: none.
    var text: String? { get set }
    /// Checks rules beyond the types of the properties, before encoding and after decoding. Default: no checks.
    func validate() throws
}

extension JSONPayload {
    /// No text.
    public var text: String? {
        get { nil }
        set {}
    }

    /// Accepts every value.
    public func validate() throws {}

    /// Reads the JSON in the content's data.
    ///
    /// - Throws: `DecodingError`, or errors of ``validate()``.
    public init(decoding content: MessageContent) throws {
        self = try JSONBytes.decode(Self.self, from: content.data)
        text = content.text
        try validate()
    }

    /// Writes the JSON into the content's data.
    ///
    /// - Throws: Errors of ``validate()``, or `EncodingError`.
    public func encode() throws -> MessageContent {
        try validate()
        return MessageContent(type: Self.contentType, text: text, data: try JSONBytes.encode(self))
    }
}

/// Content as decoded by a ``ContentTypeRegistry``.
public enum DecodedContent: Sendable {
    /// A value of a registered type.
    case payload(any MessagePayload)
    /// No registered type can decode it; the sender's fallback text, if any. The bytes are unchanged.
    case unknown(degradeText: String?)
}

/// A payload of free fields, from which a host makes the text that it shows.
public protocol FieldsPayload: MessagePayload {
    /// The service's fields, as a JSON object.
    var fields: [String: JSONValue] { get }
    /// The text that accompanies it.
    var text: String? { get }
    /// Creates the payload.
    init(_ fields: [String: JSONValue], text: String?)
}

extension FieldsPayload {
    /// Reads the JSON object in the content's data; without data the object is empty.
    ///
    /// - Throws: `DecodingError`.
    public init(decoding content: MessageContent) throws {
        let fields = content.data.isEmpty ? [:] : try JSONBytes.decode([String: JSONValue].self, from: content.data)
        self.init(fields, text: content.text)
    }

    /// Writes the fields into the content's data.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot express.
    public func encode() throws -> MessageContent {
        MessageContent(type: Self.contentType, text: text, data: try JSONBytes.encode(fields))
    }
}

/// A notice from the system, usually shown as a grey line in the conversation.
public struct TipPayload: FieldsPayload, Hashable {
    /// `tip`.
    public static let contentType = ContentType.tip
    /// The service's fields.
    public var fields: [String: JSONValue]
    /// The text that accompanies it.
    public var text: String?

    /// Creates the payload.
    public init(_ fields: [String: JSONValue] = [:], text: String? = nil) {
        self.fields = fields
        self.text = text
    }
}

/// A structured notice from the server, such as a change of a team.
public struct NotificationPayload: FieldsPayload, Hashable {
    /// `notification`.
    public static let contentType = ContentType.notification
    /// The service's fields.
    public var fields: [String: JSONValue]
    /// The text that accompanies it.
    public var text: String?

    /// Creates the payload.
    public init(_ fields: [String: JSONValue] = [:], text: String? = nil) {
        self.fields = fields
        self.text = text
    }
}

/// A call that was made or missed.
public struct CallPayload: FieldsPayload, Hashable {
    /// `call`.
    public static let contentType = ContentType.call
    /// The service's fields.
    public var fields: [String: JSONValue]
    /// The text that accompanies it.
    public var text: String?

    /// Creates the payload.
    public init(_ fields: [String: JSONValue] = [:], text: String? = nil) {
        self.fields = fields
        self.text = text
    }
}

extension MessageContent {
    /// Attributes that have a meaning for this library; all are optional.
    public enum AttributeKey {
        /// The text to show if the type is not known.
        public static let degrade = "degrade"
        /// The type's name for the list: "名片" is shown as "[名片]".
        public static let typeTitle = "typeTitle"
        /// The one-line preview, if the sender chose it.
        public static let digest = "digest"
    }

    /// The attributes, if they are a JSON object; nil for anything else, which stays in `attributes`.
    ///
    /// Parsed by each call.
    public var jsonAttributes: [String: JSONValue]? {
        attributes.isEmpty ? nil : try? JSONBytes.decode([String: JSONValue].self, from: attributes)
    }

    /// Replaces the attributes by a JSON object.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot express; nothing is replaced then.
    public mutating func setAttributes(_ attributes: [String: JSONValue]) throws {
        self.attributes = try JSONBytes.encode(attributes)
    }

    /// The text to show if the type is not known (A17), or nil.
    var degradeText: String? { jsonAttributes?[AttributeKey.degrade]?.stringValue }

    /// The preview in the data, if that is a JSON object with such a key.
    var previewInData: String? {
        struct Keys: Decodable { var digest: String? }
        guard !data.isEmpty else { return nil }
        return try? JSONBytes.decode(Keys.self, from: data).digest
    }
}

/// Content types of a service that identifies them by numbers: 1 of `leancloud` is `leancloud/1`.
///
/// Services that name types by strings, such as "SP:TxtMsg", need none: their strings are keys as they are.
public struct TypeNamespace: Sendable, Hashable {
    /// The part before the slash.
    public let name: String
    /// The lowest number that is free for a host's own types; those below are the service's.
    public let firstCustom: Int
    /// The numbers of types whose messages the service refuses without a text.
    public let requiringText: Set<Int>
    private let standardTypes: [Int: ContentType]

    /// Creates a namespace; pass it to ``ContentTypeRegistry/reserve(_:)`` to reserve its range.
    ///
    /// - Parameters:
    ///   - name: The part before the slash; must not contain a slash.
    ///   - firstCustom: The lowest number that is free for a host's own types.
    ///   - standardTypes: The service's numbers for built-in types of this library.
    ///   - requiringText: The numbers of types whose messages the service refuses without a text. A store in whose
    ///     registry the namespace is reserved refuses to queue them.
    public init(
        _ name: String, firstCustom: Int, standardTypes: [Int: ContentType] = [:], requiringText: Set<Int> = []
    ) {
        self.name = name
        self.firstCustom = firstCustom
        self.standardTypes = standardTypes
        self.requiringText = requiringText
    }

    /// The key for a number on the wire: the built-in type that it means, else its namespaced key.
    public func type(for number: Int) -> ContentType {
        standardTypes[number] ?? ContentType(number, in: self)
    }

    /// Whether the service refuses messages of a type without a text.
    func requiresText(_ type: ContentType) -> Bool {
        requiringText.contains { self.type(for: $0) == type || ContentType($0, in: self) == type }
    }

    /// Whether a key is a number of the service's own range.
    func reserves(_ type: ContentType) -> Bool {
        let parts = type.rawValue.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.elementsEqual(name.utf8), let number = Int(parts[1]) else { return false }
        return number < firstCustom
    }
}

extension ContentType {
    /// The key of a service's number, such as `leancloud/-1`.
    public init(_ number: Int, in namespace: TypeNamespace) {
        self.init("\(namespace.name)/\(number)")
    }
}
