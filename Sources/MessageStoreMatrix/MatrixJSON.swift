internal import Foundation

/// An answer of a Matrix server, read so that one person's event takes away nothing of others'.
///
/// A list or object that is nested deeper than 60 levels is null. Half of a surrogate pair, and bytes that are no UTF-8,
/// are U+FFFD in texts and names; an event with one of them in an id is null, as is a room, or a receipt of such an event
/// or user.
public struct MatrixJSON: Sendable {
    /// The answer.
    public let value: JSONValue
    /// How many halves of characters were replaced, those in ids included.
    public let replaced: Int

    /// Levels of nesting that are kept.
    private static let deepest = 60

    /// Reads an answer. Costs one pass over its bytes besides the decoding.
    ///
    /// - Throws: `DecodingError` if it is no JSON.
    public init(_ bytes: some Sequence<UInt8>) throws {
        let json = RepairedJSON(Self.cut(bytes), repairsBytes: true)
        // A decoder that meets NUL among the first bytes would take the answer for UTF-16 or UTF-32.
        guard !json.bytes.prefix(4).contains(0) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "NUL"))
        }
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(json.bytes))
        self.value = json.mark.map { MarkedJSON(mark: $0).settled(value, levelsOfIDs: 0) } ?? value
        replaced = json.count
    }

    /// JSON with `null` for each list and object that is nested deeper; a decoder refuses the whole for one of them.
    private static func cut(_ json: some Sequence<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(json.underestimatedCount)
        var depth = 0
        var (isInString, isEscaped) = (false, false)
        for byte in json {
            var isKept = depth <= deepest
            if isInString {
                if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    isKept = depth <= deepest
                    if depth == deepest + 1 { kept += "null".utf8 }
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
            if isKept { kept.append(byte) }
        }
        return kept
    }
}

/// The reading of a value in which a mark replaces halves of characters.
private struct MarkedJSON {
    /// The members whose values are ids, or lists of them.
    private static let ids: Set<String> = [
        "event_id", "sender", "state_key", "redacts", "transaction_id", "creator", "user_ids", "room_id",
        "replacement_room", "next_batch",
    ]
    /// The members whose members' names are ids, by the levels of them.
    private static let levels = ["join": 1, "invite": 1, "leave": 1, "knock": 1, "users": 1]

    let mark: Unicode.Scalar

    /// The value with U+FFFD in texts and names, and without values that have a mark in an id.
    ///
    /// - Parameter levelsOfIDs: How many levels of objects have ids as names.
    func settled(_ value: JSONValue, levelsOfIDs: Int) -> JSONValue {
        switch value {
        case .string(let text): return .string(text.replacing(mark))
        case .array(let values): return .array(values.map { settled($0, levelsOfIDs: 0) })
        case .object(let members):
            if members.contains(where: { Self.ids.contains($0.key) && isMarked($0.value) }) { return .null }
            if isEvent(value), hasMarkedID(members["content"]) { return .null }
            var settled: [String: JSONValue] = [:]
            for (name, value) in members {
                let isCut = levelsOfIDs > 0 && name.has(mark)
                let inner = name == "content" ? levels(of: members["type"]) : Self.levels[name] ?? levelsOfIDs - 1
                settled[name.replacing(mark)] = isCut ? .null : self.settled(value, levelsOfIDs: inner)
            }
            return .object(settled)
        default: return value
        }
    }

    /// Receipts name events, kinds and users; direct rooms are listed by user.
    private func levels(of type: JSONValue?) -> Int { ["m.receipt": 3, "m.direct": 1][type?.string ?? ""] ?? 0 }

    private func isEvent(_ value: JSONValue) -> Bool { value["type"]?.string != nil && value["content"] != nil }

    /// Whether an event's content refers to something by an id with a mark; events inside it are their own.
    private func hasMarkedID(_ value: JSONValue?) -> Bool {
        switch value {
        case .array(let values): values.contains(where: hasMarkedID)
        case .object(let members) where !isEvent(value ?? .null):
            members.contains { name, value in Self.ids.contains(name) && isMarked(value) || hasMarkedID(value) }
        default: false
        }
    }

    private func isMarked(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.has(mark)
        case .array(let values): values.contains(where: isMarked)
        default: false
        }
    }
}

extension JSONValue {
    /// The member of an object; nil if it has no such member, or is no object.
    public subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The string; nil if the value is none.
    public var string: String? { stringValue }

    /// The integer; nil if the value is none.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The truth value; nil if the value is none.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of a list; nil if the value is none.
    public var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members of an object; nil if the value is none.
    public var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The members of an object in the order of their names' bytes; none if the value is no object.
    public var members: [(key: String, value: JSONValue)] {
        (object ?? [:]).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// The events of a section of a response, which holds them in a list of its own.
    public func events(_ section: String) -> [JSONValue] { self[section]?["events"]?.array ?? [] }

    /// The value as JSON without white space, the members of objects sorted by name.
    package var bytes: [UInt8] {
        // Every value that was read can be written: JSON has no number that is not finite.
        (try? JSONBytes.encode(self)) ?? []
    }
}

/// JSON in which a mark replaces each half of a surrogate pair.
///
/// JSON's grammar allows the escape of a half, and programs that cut texts by UTF-16 units write it; a decoder refuses
/// the whole for one of them. The mark is a noncharacter that the JSON does not have, so that a reader knows the texts
/// that were cut, and the ids.
package struct RepairedJSON {
    /// The JSON with the marks.
    package private(set) var bytes: [UInt8]
    /// How many marks it has.
    package private(set) var count = 0
    /// The mark; nil if nothing was replaced.
    package let mark: Unicode.Scalar?

    /// Looks for halves of pairs.
    ///
    /// - Parameter repairsBytes: Whether bytes that are no UTF-8 are replaced as well.
    package init(_ json: [UInt8], repairsBytes: Bool = false) {
        bytes = json
        let halves = Self.halves(in: json)
        let isText = !repairsBytes || String(validating: json, as: UTF8.self) != nil
        guard !halves.isEmpty || !isText else {
            mark = nil
            return
        }
        let mark = Self.mark(unusedIn: json)
        self.mark = mark
        // Both escapes have six bytes.
        for half in halves { bytes.replaceSubrange(half..<half + 6, with: Self.escape(of: mark).utf8) }
        count = halves.count
        if !isText { replaceBytes(by: mark) }
    }

    private mutating func replaceBytes(by mark: Unicode.Scalar) {
        var (parser, source) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        while true {
            switch parser.parseScalar(from: &source) {
            case .valid(let scalar): text += scalar
            case .error:
                text += String(mark).utf8
                count += 1
            case .emptyInput:
                bytes = text
                return
            }
        }
    }

    /// The places at which escapes of halves begin that are no part of a pair.
    private static func halves(in json: [UInt8]) -> [Int] {
        var (halves, index): ([Int], Int) = ([], 0)
        while let start = backslash(in: json, from: index) {
            let unit = unit(at: start, json)
            index = start + (unit == nil ? 2 : 6)
            switch unit {
            case .some(0xD800...0xDBFF):
                if let low = Self.unit(at: index, json), 0xDC00...0xDFFF ~= low {
                    index += 6
                } else {
                    halves.append(start)
                }
            case .some(0xDC00...0xDFFF): halves.append(start)
            default: break
            }
        }
        return halves
    }

    private static func backslash(in json: [UInt8], from index: Int) -> Int? {
        guard index < json.count else { return nil }
        return json.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + index, 0x5C, bytes.count - index) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The value of an escape with four digits; nil if there is none.
    private static func unit(at index: Int, _ json: [UInt8]) -> UInt16? {
        guard index + 6 <= json.count, json[index] == 0x5C, json[index + 1] == UInt8(ascii: "u") else { return nil }
        return UInt16(String(decoding: json[index + 2..<index + 6], as: UTF8.self), radix: 16)
    }

    private static func escape(of mark: Unicode.Scalar) -> String { "\\u" + String(mark.value, radix: 16) }

    private static func mark(unusedIn json: [UInt8]) -> Unicode.Scalar {
        let text = String(decoding: json, as: UTF8.self)
        let escapes = text.lowercased()
        let noncharacters = (UInt32(0xFDD0)...0xFDEF).compactMap(Unicode.Scalar.init)
        return noncharacters.first { !text.unicodeScalars.contains($0) && !escapes.contains(escape(of: $0)) }
            ?? "\u{FFFD}"
    }
}

extension String {
    /// Whether a mark is in it.
    package func has(_ mark: Unicode.Scalar) -> Bool { unicodeScalars.contains(mark) }

    /// The text with U+FFFD in the place of each mark.
    package func replacing(_ mark: Unicode.Scalar) -> String {
        guard has(mark) else { return self }
        var scalars = UnicodeScalarView()
        scalars.append(contentsOf: unicodeScalars.lazy.map { $0 == mark ? "\u{FFFD}" : $0 })
        return String(scalars)
    }
}
