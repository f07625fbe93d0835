#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// JSON as the bytes that content is made of.
package enum JSONBytes {
    /// One encoding for equal values: keys sorted, slashes as they are.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// The members of an object, each read apart from the others: one that cannot be read, as a number past all bounds, is
    /// left out.
    ///
    /// - Throws: `DecodingError` where the bytes are no object, or no JSON.
    package static func members(of bytes: [UInt8]) throws -> [String: JSONValue] {
        let members: [String: ReadableValue]
        do {
            members = try decode([String: ReadableValue].self, from: bytes)
        } catch {
            // A decoder refuses all bytes for one value that is nested past a bound of its own.
            let shallow = withoutDepths(bytes)
            guard shallow.count < bytes.count else { throw error }
            members = try decode([String: ReadableValue].self, from: shallow)
        }
        return members.compactMapValues(\.value)
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

/// A value of JSON; nil where it cannot be read.
private struct ReadableValue: Decodable {
    let value: JSONValue?

    init(from decoder: any Decoder) { value = try? JSONValue(from: decoder) }
}
