@_spi(Storage) internal import MessageStoreLog

/// The rows of one chunk with their keys, in any order of access.
final class ChunkRows {
    private struct Row {
        var keyStart: Int
        var keyLength: Int
        var value: UnsafeRawBufferPointer
    }

    private var keys = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 10, alignment: 8)
    private var rows: ContiguousArray<Row> = []

    init() { rows.reserveCapacity(64) }

    deinit { keys.deallocate() }

    var count: Int { rows.count }

    /// Takes the rows of another chunk, whose values it refers to.
    ///
    /// - Parameter first: The chunk's own key.
    /// - Returns: False where the bytes are no chunk: rows that do not ascend, from its key on.
    func read(_ chunk: UnsafeRawBufferPointer, from first: UnsafeRawBufferPointer) -> Bool {
        removeAll()
        var reader = ChunkReader(chunk)
        var (last, end) = (0, 0)
        while !reader.isAtEnd {
            if end + ChunkReader.keyRoom > keys.count { grow() }
            guard let start = keys.baseAddress else { return false }
            guard reader.next(start + end, after: start + last) else { return false }
            if reader.isWhole {
                let key = UnsafeRawBufferPointer(start: start + end, count: reader.keyLength)
                let order = ByteOrder.compare(rows.isEmpty ? first : self.key(at: count - 1), key)
                guard rows.isEmpty ? order <= 0 : order < 0 else { return false }
            }
            rows.append(Row(keyStart: end, keyLength: reader.keyLength, value: reader.value))
            last = end
            end += (reader.keyLength + 7) & ~7
        }
        return !rows.isEmpty
    }

    private func grow() {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * keys.count, alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(keys))
        keys.deallocate()
        keys = larger
    }

    func removeAll() { rows.removeAll(keepingCapacity: true) }

    /// Valid until other rows are taken.
    func key(at index: Int) -> UnsafeRawBufferPointer {
        let row = rows[index]
        return UnsafeRawBufferPointer(rebasing: keys[row.keyStart..<row.keyStart + row.keyLength])
    }

    func value(at index: Int) -> UnsafeRawBufferPointer { rows[index].value }

    /// The place of the first row whose key is not less than `key`; ``count`` where there is none.
    func firstIndex(notBelow key: UnsafeRawBufferPointer) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if ByteOrder.compare(self.key(at: middle), key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
