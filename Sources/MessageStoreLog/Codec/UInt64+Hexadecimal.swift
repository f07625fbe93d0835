extension UInt64 {
    /// The number in hexadecimal, with zeros in front to so many digits.
    package func hexadecimal(digits: Int = 16) -> String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
    }
}
