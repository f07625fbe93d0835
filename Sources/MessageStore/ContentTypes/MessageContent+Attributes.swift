extension MessageContent {
    /// Attributes that have a meaning for this library; all are optional.
    public enum AttributeKey {
        /// The text to show if the type is not known.
        public static let degrade = "degrade"
        /// The type's name for the list: "名片" is shown as "[名片]".
        public static let typeTitle = "typeTitle"
        /// The one-line preview, where the sender chose it.
        public static let digest = "digest"
    }

    /// The attributes, where they are a JSON object; nil for anything else, which stays in `attributes`.
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

    /// The preview in the data, where that is a JSON object with such a key.
    var previewInData: String? {
        struct Keys: Decodable { var digest: String? }
        guard !data.isEmpty else { return nil }
        return try? JSONBytes.decode(Keys.self, from: data).digest
    }
}
