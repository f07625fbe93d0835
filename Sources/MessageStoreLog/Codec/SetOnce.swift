internal import Synchronization

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
