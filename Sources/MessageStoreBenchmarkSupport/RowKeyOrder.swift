internal import MessageStoreWorkload

/// In which order an exercise sets the keys of its rows.
public enum RowKeyOrder: Sendable, CaseIterable {
    /// Each key is greater than the one before, as in a table by position.
    case ascending
    /// Keys in no order that differ within their first eight bytes.
    case random
    /// Keys in no order whose first eight bytes are equal, as are those of one conversation's messages of some hours: a
    /// search must look beyond what the write buffer keeps next to its rows.
    case randomAfterSharedPrefix
}

/// Rows with different keys of 16 bytes and values of 32, made before anything is measured.
struct ExerciseRows {
    static let keySize = 16
    static let valueSize = 32

    let count: Int
    private let keys: [UInt8]
    private let value = [UInt8](repeating: 0x5A, count: valueSize)

    init(count: Int, order: RowKeyOrder) {
        var keys: [UInt8] = []
        keys.reserveCapacity(count * Self.keySize)
        for ordinal in 0..<UInt64(max(count, 0)) {
            let (first, second) =
                switch order {
                case .ascending: (ordinal, 0 as UInt64)
                case .random: (SplitMix64.mix(ordinal), 0)
                case .randomAfterSharedPrefix: (0, SplitMix64.mix(ordinal))
                }
            for half in [first, second] { withUnsafeBytes(of: half.bigEndian) { keys.append(contentsOf: $0) } }
        }
        self.count = max(count, 0)
        self.keys = keys
    }

    /// The key that is at `index` in the order of setting.
    @_lifetime(borrow self)
    borrowing func key(_ index: Int) -> RawSpan {
        let bytes = keys.span.bytes.extracting(index * Self.keySize..<(index + 1) * Self.keySize)
        return _overrideLifetime(bytes, borrowing: self)
    }

    /// The value of every row.
    var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { _overrideLifetime(value.span.bytes, borrowing: self) }
    }
}
