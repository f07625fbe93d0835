/// Compares bytes with those of a random generator, by how often each of the 256 values is among them.
enum RandomBytes {
    /// Fewer bytes say too little: each value is expected five times in these.
    static let leastCount = 1280
    /// χ² with 255 degrees of freedom is greater with a probability of 6 · 10⁻¹³; of 10⁻⁹ it would be 415.
    private static let limit = 450.0
    /// Values of so many bytes are looked at by themselves.
    private static let leastValue = 64

    /// χ² of the bytes against equal numbers of all values.
    static func deviation(of bytes: [UInt8]) -> Double {
        var counts = [Int](repeating: 0, count: 256)
        bytes.withUnsafeBytes { bytes in
            for byte in bytes { counts[Int(byte)] += 1 }
        }
        let expected = Double(bytes.count) / 256
        return counts.reduce(0) { sum, count in
            let difference = Double(count) - expected
            return sum + difference * difference / expected
        }
    }

    /// Whether many bytes may be random ones.
    static func isRandom(_ bytes: [UInt8]) -> Bool { deviation(of: bytes) <= limit }

    /// Whether one value of at least 64 bytes is none that a random generator ever makes: all bytes are ASCII, few different
    /// ones are among the first 64 (of random bytes about 57), or eight of the same follow each other.
    static func isPlain(_ value: some Collection<UInt8>) -> Bool {
        guard value.count >= leastValue else { return false }
        if value.allSatisfy({ $0 < 128 }) || Set(value.prefix(leastValue)).count <= leastValue / 2 { return true }
        var (last, run) = (UInt8(0), 0)
        for byte in value {
            run = byte == last ? run + 1 : 1
            if run == 8 { return true }
            last = byte
        }
        return false
    }
}
