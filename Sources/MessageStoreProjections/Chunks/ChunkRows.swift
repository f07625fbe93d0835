@_spi(Storage) internal import MessageStoreLog

/// The rows of one chunk with their keys, in any order of access.
final class ChunkRows {
    private var keys = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 << 10, alignment: 8)
    private var rows: [(keyEnd: Int, value: UnsafeRawBufferPointer)] = []

    deinit { keys.deallocate() }

    var count: Int { rows.count }

    /// Takes the rows of another chunk, whose values it refers to.
    ///
    /// - Parameter first: The chunk's own key.
    /// - Returns: False where the bytes are no chunk: rows that do not ascend, from its key on.
    func read(_ chunk: UnsafeRawBufferPointer, from first: UnsafeRawBufferPointer) -> Bool {
        removeAll()
        var reader = ChunkReader(chunk)
        return withUnsafeTemporaryAllocation(byteCount: ChunkReader.keyRoom, alignment: 8) { key in
            guard let start = key.baseAddress else { return false }
            while !reader.isAtEnd {
                guard reader.next(start) else { return false }
                let key = UnsafeRawBufferPointer(start: start, count: reader.keyLength)
                let order = ByteOrder.compare(count == 0 ? first : self.key(at: count - 1), key)
                guard count == 0 ? order <= 0 : order < 0 else { return false }
                append(key, reader.value)
            }
            return !rows.isEmpty
        }
    }

    private func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let start = rows.last?.keyEnd ?? 0
        if start + key.count > keys.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * keys.count, alignment: 8)
            larger.copyMemory(from: UnsafeRawBufferPointer(keys))
            keys.deallocate()
            keys = larger
        }
        UnsafeMutableRawBufferPointer(rebasing: keys[start...]).copyMemory(from: key)
        rows.append((start + key.count, value))
    }

    func removeAll() { rows.removeAll(keepingCapacity: true) }

    /// Valid until other rows are taken.
    func key(at index: Int) -> UnsafeRawBufferPointer {
        let start = index == 0 ? 0 : rows[index - 1].keyEnd
        return UnsafeRawBufferPointer(rebasing: keys[start..<rows[index].keyEnd])
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
