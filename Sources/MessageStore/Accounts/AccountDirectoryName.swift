/// The name of an account's directory: readable, in one case, without a dot or slash, and at most 100 bytes.
///
/// Small letters, digits, `_` and `-` are kept; every other byte becomes `=` and two digits. Ids that would be longer
/// become `==` and 128 bits of hash; should two ids ever share a name, opening compares the store's identity and
/// throws.
enum AccountDirectoryName {
    private static let maximumBytes = 100

    static func of(_ account: UserID) -> String {
        var name = ""
        for byte in account.rawValue.utf8 {
            if isPlain(byte) {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                name += "=" + UInt64(byte).hexadecimal(digits: 2)
            }
        }
        guard name.utf8.count > maximumBytes else { return name }
        return "==" + [0, 1].map { XXH64.hash(account.rawValue, seed: $0).hexadecimal() }.joined()
    }

    /// Whether a name may be one of these; the temporary directories next to them are not possible names.
    static func isPossible(_ name: String) -> Bool {
        name.utf8.count <= maximumBytes && name.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "=") }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isSmallLetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
