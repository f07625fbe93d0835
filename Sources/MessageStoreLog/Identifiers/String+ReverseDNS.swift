extension String {
    /// Whether the string is a name in reverse-DNS notation: 3 to 128 lower-case letters, digits, hyphens and dots,
    /// with at least one dot and something between any two.
    package var isReverseDNS: Bool {
        let labels = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (3...128).contains(utf8.count) && labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.allSatisfy { $0.isSmallLetterOrDigit || $0 == UInt8(ascii: "-") }
            }
    }
}

extension UInt8 {
    /// Whether it is `a` to `z` or `0` to `9`.
    package var isSmallLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }

    /// Whether it is a letter of ASCII or a digit.
    package var isLetterOrDigit: Bool {
        isSmallLetterOrDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}
