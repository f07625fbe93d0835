extension UnsafeRawBufferPointer {
    /// Whether these bytes sort before others: byte by byte, and the shorter first.
    func isLess(than other: UnsafeRawBufferPointer) -> Bool {
        let shared = Swift.min(count, other.count)
        guard shared > 0, let start = baseAddress, let otherStart = other.baseAddress else {
            return count < other.count
        }
        let order = memcmp(start, otherStart, shared)
        return order == 0 ? count < other.count : order < 0
    }
}
