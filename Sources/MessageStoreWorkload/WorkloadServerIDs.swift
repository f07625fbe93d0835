/// Makes up the ids that a server would give to events.
struct WorkloadServerIDs: Sendable {
    private let kind: WorkloadParameters.ServerIDs
    /// The bits that distinguish one server from another in time-ordered ids: 40 bits.
    private let server: UInt64
    private var bytes: [UInt8] = []

    init(_ kind: WorkloadParameters.ServerIDs, seed: UInt64) {
        self.kind = kind
        server = SplitMix64.mix(seed) >> 24
        bytes.reserveCapacity(36)
    }

    /// Returns the id of the event with the given ordinal, which arrived at the server at the given time.
    mutating func next(ordinal: Int, timeMs: Int64, using random: inout SplitMix64) -> String {
        bytes.removeAll(keepingCapacity: true)
        switch kind {
        case .timeOrdered: appendTimeOrdered(ordinal: ordinal, timeMs: timeMs)
        case .random: appendUUID(random.next(), random.next())
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The layout of a MongoDB ObjectId: 32 bits of seconds, 40 of the server, a counter of 24.
    private mutating func appendTimeOrdered(ordinal: Int, timeMs: Int64) {
        Hexadecimal.append(UInt64(clamping: timeMs / 1_000), digits: 8, to: &bytes)
        Hexadecimal.append(server, digits: 10, to: &bytes)
        Hexadecimal.append(UInt64(truncatingIfNeeded: ordinal), digits: 6, to: &bytes)
    }

    /// The layout of RFC 9562 with version 4 and variant 0b10: 122 random bits.
    private mutating func appendUUID(_ high: UInt64, _ low: UInt64) {
        let hyphen = UInt8(ascii: "-")
        Hexadecimal.append(high >> 32, digits: 8, to: &bytes)
        bytes.append(hyphen)
        Hexadecimal.append(high >> 16, digits: 4, to: &bytes)
        bytes.append(hyphen)
        Hexadecimal.append(0x4000 | high & 0xFFF, digits: 4, to: &bytes)
        bytes.append(hyphen)
        Hexadecimal.append(0x8000 | low >> 48 & 0x3FFF, digits: 4, to: &bytes)
        bytes.append(hyphen)
        Hexadecimal.append(low, digits: 12, to: &bytes)
    }
}
