internal import Foundation
internal import MessageStore

/// Machine-readable output on standard output.
enum JSON {
    /// Prints one value on one line, with sorted keys; what cannot be seen is escaped.
    static func print(_ value: some Encodable, omitsContent: Bool = false) throws {
        let encoder = JSONEncoder()
        encoder.userInfo[.omitsEventContent] = omitsContent
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value)
        Swift.print(String(decoding: data, as: UTF8.self).terminalSafeJSON)
    }
}

/// A digest as 16 hexadecimal digits.
func hexadecimal(_ digest: UInt64) -> String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
