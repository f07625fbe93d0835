#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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

    /// The string, or nil if the value is none.
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

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Wraps a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Wraps a number without a fraction.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Wraps a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Wraps `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Wraps a list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Wraps an object; of equal keys the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

/// JSON as the bytes that content is made of.
package enum JSONBytes {
    /// One encoding for equal values: keys sorted, slashes as they are unless `escapesSlashes`.
    package static func encode(_ value: some Encodable, escapesSlashes: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = escapesSlashes ? .sortedKeys : [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// - Parameter types: The types of events that the JSON may have; nil for JSON without events.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>, types: EventTypes? = nil
    ) throws -> Value {
        let decoder = JSONDecoder()
        if let types { decoder.userInfo[.eventTypes] = types }
        return try decoder.decode(type, from: Data(bytes))
    }

    /// The members of an object, each read apart from the others: one whose name or value cannot be read, as a number
    /// past all bounds, is left out.
    ///
    /// - Throws: `DecodingError` where the bytes are no object, or no JSON.
    package static func members(of bytes: [UInt8]) throws -> [String: JSONValue] {
        var members: [String: ReadableValue]
        do {
            members = try decode([String: ReadableValue].self, from: bytes)
        } catch {
            // A decoder refuses all bytes for one value that is nested past a bound of its own, and for one broken
            // name.
            let shallow = withoutDepths(bytes)
            let named = withReadableNames(shallow)
            guard named != nil || shallow.count < bytes.count else { throw error }
            members = try decode([String: ReadableValue].self, from: named?.bytes ?? shallow)
            if let named { members[named.placeholder] = nil }
        }
        return members.compactMapValues(\.value)
    }

    /// JSON with one name, which is none of the others, in the place of each that cannot be read in its outermost
    /// object; nil if all can be read. Other damage stays.
    private static func withReadableNames(_ bytes: [UInt8]) -> (bytes: [UInt8], placeholder: String)? {
        var unreadable: [Range<Int>] = []
        var names: Set<String> = []
        for range in outermostNames(of: bytes) {
            if let name = Self.name(bytes[range]) {
                names.insert(name)
            } else {
                unreadable.append(range)
            }
        }
        guard !unreadable.isEmpty,
            let placeholder = (0...names.count).lazy.map({ "\($0)" }).first(where: { !names.contains($0) })
        else { return nil }
        var (named, end) = ([UInt8](), 0)
        for range in unreadable {
            named += bytes[end..<range.lowerBound]
            named += Array("\"\(placeholder)\"".utf8)
            end = range.upperBound
        }
        named += bytes[end...]
        return (named, placeholder)
    }

    /// A name with its quotation marks as a string; nil if it cannot be read.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }) {
            return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
        }
        let list = [UInt8(ascii: "[")] + Array(bytes) + [UInt8(ascii: "]")]
        return (try? decode([String].self, from: list))?.first
    }

    /// The ranges of the names of the outermost object's members, with their quotation marks.
    private static func outermostNames(of bytes: [UInt8]) -> [Range<Int>] {
        var names: [Range<Int>] = []
        var (index, depth, isNameNext) = (0, 0, false)
        while index < bytes.count {
            let start = index
            index += 1
            switch bytes[start] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isNameNext = depth == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): isNameNext = depth == 1
            case UInt8(ascii: "\""):
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index = min(index + 1, bytes.count)
                if isNameNext { names.append(start..<index) }
                isNameNext = false
            default: break
            }
        }
        return names
    }

    /// JSON without what is nested so deep that it is not read, nor what it is in; its outermost brackets stay.
    private static func withoutDepths(_ bytes: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        var (depth, isInString, isEscaped) = (0, false, false)
        for byte in bytes {
            let before = depth
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
                depth -= 1
            }
            if min(before, depth) <= JSONValue.maximumDepth { kept.append(byte) }
        }
        return kept
    }
}

/// A value of JSON; nil if it cannot be read.
private struct ReadableValue: Decodable {
    let value: JSONValue?

    init(from decoder: any Decoder) { value = try? JSONValue(from: decoder) }
}

/// JSON with the XXH64 of its bytes, which finds accidents: whoever can write it can make one that fits.
package enum SealedJSON {
    /// 16 hexadecimal digits.
    package static func checksum(of bytes: some Collection<UInt8>) -> String {
        let hash = bytes.withContiguousStorageIfAvailable { XXH64.hash(UnsafeRawBufferPointer($0), seed: 0) }
        return (hash ?? XXH64.hash(Array(bytes).span.bytes)).hexadecimal()
    }

    /// JSON after a line with its checksum.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let json = try JSONBytes.encode(value, escapesSlashes: true)
        return Array("\(checksum(of: json))\n".utf8) + json
    }

    /// - Parameter name: The name of the object that the bytes are.
    /// - Throws: ``StoreError`` with code `segmentDamaged`.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], name: String
    ) throws(StoreError) -> Value {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            checksum(of: bytes[(end + 1)...]) == String(decoding: bytes[..<end], as: UTF8.self),
            let value = try? JSONBytes.decode(type, from: bytes[(end + 1)...])
        else { throw StoreError(.segmentDamaged, "a shipped object is damaged", path: name) }
        return value
    }
}
