internal import Foundation

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

    /// Where the escapes of halves begin that are no part of a pair.
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
