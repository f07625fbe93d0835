import MessageStoreWorkload

/// Random changes of bytes that a store wrote, and of JSON.
struct Mutations {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Other bytes: some changed, cut, inserted, repeated, or taken from others; none of those as a whole.
    mutating func broken(_ bytes: [UInt8], _ others: [[UInt8]]) -> [UInt8] {
        var changed = bytes
        while changed == bytes || others.contains(changed) {
            for _ in 0...random.nextIndex(3) { change(&changed, others) }
        }
        return changed
    }

    private mutating func change(_ bytes: inout [UInt8], _ others: [[UInt8]]) {
        let index = random.nextIndex(bytes.count)
        guard index < bytes.count else { return bytes.append(UInt8(truncatingIfNeeded: random.next())) }
        switch random.nextIndex(8) {
        case 0: bytes[index] ^= 1 << UInt8(random.nextIndex(8))
        case 1: bytes[index] = UInt8(truncatingIfNeeded: random.next())
        case 2:
            // A number at its limits, where one of four or eight bytes may be.
            let number = [0, 1, UInt64.max, UInt64.max >> 1, 1 << 63, 1 << 31, 1 << 32][random.nextIndex(7)]
            for byte in 0..<(random.chance(0.5) ? 4 : 8) where index + byte < bytes.count {
                bytes[index + byte] = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte))
            }
        case 3: bytes.removeSubrange(index..<min(index + 1 + random.nextIndex(20), bytes.count))
        case 4: bytes.insert(contentsOf: bytes[index..<min(index + random.nextIndex(40), bytes.count)], at: index)
        case 5: bytes.removeSubrange(index...)
        case 6:
            let other = others[random.nextIndex(others.count)]
            bytes.replaceSubrange(index..., with: other[min(index, other.count)...])
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: index)
        }
    }

    private static let values = [
        "0", "1", "-1", "18446744073709551615", "18446744073709551616", "9223372036854775807", "9223372036854775808",
        "4294967296", "1.5", "1e400", "null", "true", "\"\"", "\"x\"", "[]", "{}",
    ]
    private static let words = ["\\ud800", "\\u0000", "\u{202E}", "\u{301}", "a/../b", "/", "."]

    /// JSON with some numbers, texts or bytes changed.
    mutating func brokenJSON(_ json: [UInt8]) -> [UInt8] {
        var changed = json
        while changed == json {
            for _ in 0...random.nextIndex(2) { changeJSON(&changed) }
        }
        return changed
    }

    private mutating func changeJSON(_ json: inout [UInt8]) {
        let start = random.nextIndex(json.count)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        switch random.nextIndex(4) {
        case 0:
            guard let first = json[start...].firstIndex(where: { digits.contains($0) }) else { return }
            let end = json[first...].firstIndex { !digits.contains($0) } ?? json.count
            json.replaceSubrange(first..<end, with: Self.values[random.nextIndex(Self.values.count)].utf8)
        case 1:
            guard let quote = json[start...].firstIndex(of: UInt8(ascii: "\"")) else { return }
            json.insert(contentsOf: Self.words[random.nextIndex(Self.words.count)].utf8, at: quote + 1)
        case 2:
            // From one comma to the next.
            guard let first = json[start...].firstIndex(of: UInt8(ascii: ",")),
                let second = json[(first + 1)...].firstIndex(of: UInt8(ascii: ","))
            else { return }
            let part = random.chance(0.5) ? [] : Array(json[first..<second] + json[first..<second])
            json.replaceSubrange(first..<second, with: part)
        default: change(&json, [json])
        }
    }
}
