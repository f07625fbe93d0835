/// What reading leaves: notes of what is read while a value is made, so that the value can be used until any of that
/// changes, and cursors for what is read next.
///
/// It belongs to one snapshot, and with it to one thread.
final class RowReads {
    /// Values of more are not worth their memory.
    private static let maximumBytes = 8 << 10

    @exclusivity(unchecked) var chunkCursors = ChunkCursors()
    private var isNoting = false
    /// Whether everything that was read is noted.
    private var isWhole = true
    private var places: [UInt16] = []
    private var byteCount = 0

    /// Notes what is read from here on.
    func begin() {
        places.removeAll(keepingCapacity: true)
        byteCount = 0
        isWhole = true
        isNoting = true
    }

    /// Notes nothing any more.
    ///
    /// - Returns: The places in the ``RowHistory`` of all that was read; nil where what was made of it cannot be kept.
    @discardableResult
    func end() -> [UInt16]? {
        isNoting = false
        return isWhole && byteCount <= Self.maximumBytes ? places : nil
    }

    /// Notes that a row was asked for, or all whose keys begin with this one.
    func note(_ table: ViewTable, _ key: UnsafeRawBufferPointer, bytes: Int) {
        guard isNoting else { return }
        byteCount += bytes
        guard let place = RowHistory.place(table, key) else { return isWhole = false }
        let number = UInt16(place)
        if !places.contains(number) { places.append(number) }
    }

    /// Notes that so much of the log was read, which does not change.
    func note(bytes: Int) {
        if isNoting { byteCount += bytes }
    }

    /// Notes that something was read whose changes are not noted.
    func noteOther() { isWhole = false }
}
