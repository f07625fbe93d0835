@_spi(Storage) internal import MessageStoreLog

/// Gathers which messages have which grams, and gives them in the grams' order.
///
/// A hash table over the grams' bytes, and a list of pairs that is sorted by counting.
struct PostingBuilder {
    private struct Entry {
        /// The first eight bytes, so that most comparisons need no others.
        let prefix: UInt64
        let start: UInt32
        let length: UInt32
        var count: UInt32
        var last: UInt64
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    private var slots = [UInt32](repeating: 0, count: 1 << 12)
    private var grams: [UInt32] = []
    private var positions: [UInt64] = []

    var isEmpty: Bool { grams.isEmpty }
    /// How many pairs of a gram and a message there are.
    var count: Int { grams.count }

    /// Adds a message to the list of a gram.
    mutating func add(_ gram: UnsafeRawBufferPointer, _ position: UInt64) {
        guard !gram.isEmpty else { return }
        let index = Int(entry(of: gram))
        guard entries[index].last != position || entries[index].count == 0 else { return }
        entries[index].last = position
        entries[index].count += 1
        grams.append(UInt32(index))
        positions.append(position)
    }

    mutating func add(_ gram: [UInt8], _ position: UInt64) { gram.withUnsafeBytes { add($0, position) } }

    private mutating func entry(of gram: UnsafeRawBufferPointer) -> UInt32 {
        let prefix = Self.prefix(of: gram)
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: Self.hash(gram, prefix) >> 32) & mask
        while slots[slot] != 0 {
            let found = entries[Int(slots[slot] - 1)]
            if found.prefix == prefix, Int(found.length) == gram.count, gram.count <= 8 || isEqual(found, gram) {
                return slots[slot] - 1
            }
            slot = (slot + 1) & mask
        }
        entries.append(Entry(prefix: prefix, start: UInt32(bytes.count), length: UInt32(gram.count), count: 0, last: 0))
        bytes.append(contentsOf: gram)
        slots[slot] = UInt32(entries.count)
        if entries.count * 2 > slots.count { grow() }
        return UInt32(entries.count - 1)
    }

    private func isEqual(_ entry: Entry, _ gram: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { ByteOrder.areEqual(Self.gram(entry, $0), gram) }
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        let mask = slots.count - 1
        bytes.withUnsafeBytes { bytes in
            for (index, entry) in entries.enumerated() {
                var slot =
                    Int(truncatingIfNeeded: Self.hash(Self.gram(entry, bytes), entry.prefix) >> 32) & mask
                while slots[slot] != 0 { slot = (slot + 1) & mask }
                slots[slot] = UInt32(index + 1)
            }
        }
    }

    private static func gram(_ entry: Entry, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Int(entry.start)..<Int(entry.start + entry.length)])
    }

    /// The first eight bytes as a number, in their order.
    private static func prefix(of gram: UnsafeRawBufferPointer) -> UInt64 {
        if gram.count >= 8 { return UInt64(bigEndian: gram.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for byte in gram { prefix = prefix << 8 | UInt64(byte) }
        return prefix << UInt64(8 * (8 - gram.count))
    }

    private static func hash(_ gram: UnsafeRawBufferPointer, _ prefix: UInt64) -> UInt64 {
        var hash = (prefix ^ UInt64(gram.count)) &* 0x9E37_79B9_7F4A_7C15
        var offset = 8
        while offset < gram.count {
            let start = min(offset, max(gram.count - 8, 0))
            hash =
                (hash ^ hash >> 29 ^ gram.loadUnaligned(fromByteOffset: start, as: UInt64.self))
                &* 0xBF58_476D_1CE4_E5B9
            offset += 8
        }
        return hash ^ hash >> 31
    }

    /// Calls `body` with each gram, in order, and its messages, the highest first.
    func forEach(_ body: (_ gram: UnsafeRawBufferPointer, _ positions: ArraySlice<UInt64>) throws -> Void) rethrows {
        try bytes.withUnsafeBytes { bytes in
            let order = entries.indices.sorted { first, second in
                let (first, second) = (entries[first], entries[second])
                if first.prefix != second.prefix { return first.prefix < second.prefix }
                return ByteOrder.compare(Self.gram(first, bytes), Self.gram(second, bytes)) < 0
            }
            var ends = [Int](repeating: 0, count: entries.count)
            var end = 0
            for index in order {
                end += Int(entries[index].count)
                ends[index] = end
            }
            // Filled from the back, so that the value added last comes first.
            var sorted = [UInt64](repeating: 0, count: positions.count)
            var places = [Int](repeating: 0, count: entries.count)
            for index in order { places[index] = ends[index] - Int(entries[index].count) }
            for index in positions.indices.reversed() {
                let gram = Int(grams[index])
                sorted[places[gram]] = positions[index]
                places[gram] += 1
            }
            for index in order {
                let start = ends[index] - Int(entries[index].count)
                var list = sorted[start..<ends[index]]
                if !Self.isDescending(list) { list = Self.descending(list) }
                try body(Self.gram(entries[index], bytes), list)
            }
        }
    }

    private static func isDescending(_ list: ArraySlice<UInt64>) -> Bool {
        zip(list, list.dropFirst()).allSatisfy { $0 > $1 }
    }

    private static func descending(_ list: ArraySlice<UInt64>) -> ArraySlice<UInt64> { Set(list).sorted(by: >)[...] }
}
