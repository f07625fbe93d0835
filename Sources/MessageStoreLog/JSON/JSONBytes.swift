#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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
    /// object; nil where all can be read. Other damage stays.
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

    /// A name with its quotation marks as a string; nil where it cannot be read.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }) {
            return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
        }
        let list = [UInt8(ascii: "[")] + Array(bytes) + [UInt8(ascii: "]")]
        return (try? decode([String].self, from: list))?.first
    }

    /// Where the names of the members of the outermost object are, with their quotation marks.
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

/// A value of JSON; nil where it cannot be read.
private struct ReadableValue: Decodable {
    let value: JSONValue?

    init(from decoder: any Decoder) { value = try? JSONValue(from: decoder) }
}
