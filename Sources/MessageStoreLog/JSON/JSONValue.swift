/// A value of JSON, for content and attributes whose shape no type describes.
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction, exact over the range of 64 bits.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// An object; the order of its keys is not kept.
    case object([String: JSONValue])

    /// The string, or nil where the value is none.
    public var stringValue: String? {
        if case .string(let string) = self { string } else { nil }
    }
}

extension JSONValue: Codable {
    /// Levels of nesting that are read; more would only be there to exhaust a thread's stack.
    static let maximumDepth = 64

    /// Reads a value of any kind, up to 64 levels deep.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count < Self.maximumDepth else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "more than \(Self.maximumDepth) levels of nesting"))
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let list = try? decoder.unkeyedContainer() {
            self = .array(try Self.elements(of: list))
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Apart from the probing above, so that a list's own error comes out and is not taken for another kind.
    private static func elements(of list: any UnkeyedDecodingContainer) throws -> [JSONValue] {
        var list = list
        var elements: [JSONValue] = []
        while !list.isAtEnd { elements.append(try list.decode(JSONValue.self)) }
        return elements
    }

    /// Writes the value.
    ///
    /// - Throws: `EncodingError`, by the encoder, for a number that JSON cannot express.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
