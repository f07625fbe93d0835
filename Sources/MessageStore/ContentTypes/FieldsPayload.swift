/// A payload of free fields, which a host puts into words when it is shown.
public protocol FieldsPayload: MessagePayload {
    /// The service's fields, as a JSON object.
    var fields: [String: JSONValue] { get }
    /// The text beside it.
    var text: String? { get }
    /// Creates the payload.
    init(_ fields: [String: JSONValue], text: String?)
}

extension FieldsPayload {
    /// Reads the JSON object in the content's data; no data is an object without fields.
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

/// A grey line that the system put into the conversation.
public struct TipPayload: FieldsPayload, Hashable {
    /// `tip`.
    public static let contentType = ContentType.tip
    /// The service's fields.
    public var fields: [String: JSONValue]
    /// The text beside it.
    public var text: String?

    /// Creates the payload.
    public init(_ fields: [String: JSONValue] = [:], text: String? = nil) {
        self.fields = fields
        self.text = text
    }
}

/// A structured notice of the service, such as of a changed team.
public struct NotificationPayload: FieldsPayload, Hashable {
    /// `notification`.
    public static let contentType = ContentType.notification
    /// The service's fields.
    public var fields: [String: JSONValue]
    /// The text beside it.
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
    /// The text beside it.
    public var text: String?

    /// Creates the payload.
    public init(_ fields: [String: JSONValue] = [:], text: String? = nil) {
        self.fields = fields
        self.text = text
    }
}
