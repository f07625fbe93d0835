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
