extension String {
    /// Whether the string is a name in reverse-DNS notation: 3 to 128 lower-case letters, digits, hyphens and dots,
    /// with at least one dot and something between any two.
    package var isReverseDNS: Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let labels = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (3...128).contains(utf8.count) && labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") }
            }
    }
}
