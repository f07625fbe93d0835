internal import Synchronization

/// A key whose bits are spread already, or cheaply: hashing it with `Hasher` would cost more than looking it up.
@_spi(Storage) public protocol SpreadKey: Equatable {
    /// Bits of the key; the upper ones are as good as random.
    var spread: UInt64 { get }
    /// Whether both are equal; a module that has tables of another one's keys can give a form that is inlined there.
    func isSame(as other: Self) -> Bool
}

extension SpreadKey {
    /// Whether both are equal.
    @inlinable public func isSame(as other: Self) -> Bool { self == other }
}

/// Numbers keys in the order in which they are inserted, and finds them: a hash table with linear probing.
@_spi(Storage) public struct KeyTable<Key: SpreadKey> {
    /// The keys, by number.
    public var keys: [Key] { @inlinable get { inserted } }
    @usableFromInline var inserted: [Key] = []
    /// The number of a key plus one, near where its spread bits point to; 0 if there is none. Half of them are, at
    /// least.
    @usableFromInline var slots: [Int32]
    /// How far the spread bits are shifted to point to a slot.
    @usableFromInline var shift: UInt64

    /// - Parameter count: How many keys fit before the table grows.
    @inlinable public init(count: Int = 8) {
        let bits = Int.bitWidth - max(2 * count - 1, 15).leadingZeroBitCount
        slots = [Int32](repeating: 0, count: 1 << bits)
        shift = UInt64(64 - bits)
        inserted.reserveCapacity(count)
    }

    /// The number of a key; nil if it was not inserted.
    @inlinable @inline(__always)
    public func number(of key: Key) -> Int? {
        let slot = slots[slot(of: key)]
        return slot == 0 ? nil : Int(slot) - 1
    }

    /// The number of the key that has these bits and is the one that is meant, so that none has to be made to ask for it.
    @inlinable @inline(__always)
    public func number(spread: UInt64, where isMeant: (Key) -> Bool) -> Int? {
        var slot = Int(truncatingIfNeeded: spread &>> shift)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if inserted[number].spread == spread, isMeant(inserted[number]) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a key that is not there.
    ///
    /// - Returns: Its number.
    @inlinable public mutating func insert(_ key: Key) -> Int {
        if 2 * (keys.count + 1) > slots.count { grow() }
        slots[slot(of: key)] = Int32(keys.count + 1)
        inserted.append(key)
        return keys.count - 1
    }

    /// Adds a key unless it is there.
    ///
    /// - Returns: Its number, and whether it was added.
    @inlinable public mutating func insertIfAbsent(_ key: Key) -> (number: Int, isNew: Bool) {
        if 2 * (inserted.count + 1) > slots.count { grow() }
        let place = slot(of: key)
        if slots[place] != 0 { return (Int(slots[place]) - 1, false) }
        inserted.append(key)
        slots[place] = Int32(inserted.count)
        return (inserted.count - 1, true)
    }

    /// Removes all keys; the room stays.
    @inlinable public mutating func removeAll() {
        guard !keys.isEmpty else { return }
        inserted.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }

    /// The slot of the key, or the free one where it would be.
    @inlinable @inline(__always)
    func slot(of key: Key) -> Int {
        var slot = Int(truncatingIfNeeded: key.spread &>> shift)
        while slots[slot] != 0, !keys[Int(slots[slot]) - 1].isSame(as: key) { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    @inlinable mutating func grow() {
        slots = [Int32](repeating: 0, count: 2 * slots.count)
        shift -= 1
        for (number, key) in keys.enumerated() { slots[slot(of: key)] = Int32(number + 1) }
    }
}

extension KeyTable: Sendable where Key: Sendable {}

/// A reference that is set once, by whichever thread comes first, and read without a lock.
///
/// Synchronization's own is generic where it is compiled, which costs more than decoding an event.
struct SetOnce<Value: AnyObject & Sendable>: ~Copyable, Sendable {
    private let bits = Atomic<UInt>(0)

    deinit {
        if let value = Self.pointer(bits.load(ordering: .acquiring)) { value.release() }
    }

    /// The value, which `make` makes the first time.
    func value(_ make: () -> Value) -> Value {
        if let value = Self.pointer(bits.load(ordering: .acquiring)) { return value.takeUnretainedValue() }
        let made = Unmanaged.passRetained(make())
        let (isSet, first) = bits.compareExchange(
            expected: 0, desired: UInt(bitPattern: made.toOpaque()), ordering: .acquiringAndReleasing)
        guard !isSet, let first = Self.pointer(first) else { return made.takeUnretainedValue() }
        made.release()
        return first.takeUnretainedValue()
    }

    private static func pointer(_ bits: UInt) -> Unmanaged<Value>? {
        UnsafeRawPointer(bitPattern: bits).map { Unmanaged.fromOpaque($0) }
    }
}
