@_spi(Storage) internal import MessageStoreLog

/// A key whose bits are spread already, or cheaply: hashing it with `Hasher` would cost more than looking it up.
protocol SpreadKey: Equatable {
    /// Bits of the key, of which the upper ones are as good as random.
    var spread: UInt64 { get }
}

extension ConversationNumber: SpreadKey {
    /// Numbers are dense; the multiplier is the golden ratio's (Knuth 1973, "Sorting and Searching", 6.4).
    @inline(__always) var spread: UInt64 { UInt64(rawValue) &* 0x9E37_79B9_7F4A_7C15 }
}

extension IdentityKey: SpreadKey {
    @inline(__always) var spread: UInt64 { high }
}

/// Numbers keys in the order in which they are inserted, and finds them: a hash table with linear probing.
struct KeyTable<Key: SpreadKey> {
    /// The keys, by number.
    private(set) var keys: [Key] = []
    /// The number of a key plus one, near where its spread bits point to; 0 where there is none. Half of them are, at least.
    private var slots: [Int32]
    /// How far the spread bits are shifted to point to a slot.
    private var shift: UInt64

    /// - Parameter count: How many keys fit before the table grows.
    init(count: Int = 8) {
        let bits = Int.bitWidth - max(2 * count - 1, 15).leadingZeroBitCount
        slots = [Int32](repeating: 0, count: 1 << bits)
        shift = UInt64(64 - bits)
        keys.reserveCapacity(count)
    }

    /// The number of a key; nil where it was not inserted.
    @inline(__always)
    func number(of key: Key) -> Int? {
        let slot = slots[slot(of: key)]
        return slot == 0 ? nil : Int(slot) - 1
    }

    /// Adds a key that is not there.
    ///
    /// - Returns: Its number.
    mutating func insert(_ key: Key) -> Int {
        if 2 * (keys.count + 1) > slots.count { grow() }
        slots[slot(of: key)] = Int32(keys.count + 1)
        keys.append(key)
        return keys.count - 1
    }

    /// Removes all keys; the room stays.
    mutating func removeAll() {
        guard !keys.isEmpty else { return }
        keys.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }

    /// The slot of the key, or the free one where it would be.
    @inline(__always)
    private func slot(of key: Key) -> Int {
        var slot = Int(truncatingIfNeeded: key.spread &>> shift)
        while slots[slot] != 0, keys[Int(slots[slot]) - 1] != key { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: 2 * slots.count)
        shift -= 1
        for (number, key) in keys.enumerated() { slots[slot(of: key)] = Int32(number + 1) }
    }
}
