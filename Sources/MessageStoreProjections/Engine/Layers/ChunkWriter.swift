internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// Puts ascending rows into a chunk, see ``ChunkReader``.
struct ChunkWriter: ~Copyable {
    /// About how many bytes a chunk has at most: four of them fill a page.
    static let fullSize = 960
    /// From so many bytes on a chunk ends with the rows of a conversation, so that rows added to one change no other's.
    private static let partSize = fullSize / 4

    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * fullSize, alignment: 8)
    private var count = 0
    /// The key of the chunk: no row of it has a lesser one.
    private var start: [UInt8] = []
    /// The keys of the last row and of the one that is added, whose last words end in zeros.
    private var last = UnsafeMutableRawBufferPointer.allocate(byteCount: ChunkReader.keyRoom, alignment: 8)
    private var next = UnsafeMutableRawBufferPointer.allocate(byteCount: ChunkReader.keyRoom, alignment: 8)
    private var keyLength = 0
    private var valueLength = 0
    private(set) var rowCount = 0

    deinit {
        bytes.deallocate()
        last.deallocate()
        next.deallocate()
    }

    var isEmpty: Bool { rowCount == 0 }
    var key: RawSpan {
        @_lifetime(borrow self) get { start.span.bytes }
    }
    var chunk: RawSpan {
        @_lifetime(borrow self)
        get {
            _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[..<count])), borrowing: self)
        }
    }

    /// Begins another chunk.
    ///
    /// - Parameter start: Its key; nil for that of its first row.
    mutating func begin(at start: [UInt8]? = nil) {
        self.start = start ?? []
        (count, keyLength, valueLength, rowCount) = (0, 0, 0, 0)
    }

    /// Whether a row belongs into the next chunk.
    func isFull(before key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        if isEmpty { return false }
        if count + key.count + key.count / 8 + value.count + 2 > Self.fullSize { return true }
        // Keys begin with the number of a conversation.
        return count >= Self.partSize && key.count >= 4
            && key.loadUnaligned(as: UInt32.self) != last.load(as: UInt32.self)
    }

    mutating func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        precondition(key.count > 0 && key.count <= ChunkReader.longestKey, "a key is too long for LMDB")
        if isEmpty, start.isEmpty { start = [UInt8](key) }
        reserve(7 + key.count + key.count / 8 + 1 + value.count)
        next.storeBytes(of: 0, toByteOffset: (key.count - 1) & ~7, as: UInt64.self)
        next.copyMemory(from: key)
        if key.count == keyLength, value.count == valueLength {
            appendDifference()
        } else {
            bytes[count] = ChunkReader.Form.whole.rawValue
            bytes.storeBytes(of: UInt16(key.count).littleEndian, toByteOffset: count + 1, as: UInt16.self)
            bytes.storeBytes(of: UInt32(value.count).littleEndian, toByteOffset: count + 3, as: UInt32.self)
            count += 7
            put(key)
            (keyLength, valueLength) = (key.count, value.count)
        }
        put(value)
        swap(&last, &next)
        rowCount += 1
    }

    private mutating func reserve(_ number: Int) {
        guard count + number > bytes.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * bytes.count + number, alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        bytes.deallocate()
        bytes = larger
    }

    private mutating func put(_ part: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: part)
        count += part.count
    }

    /// Appends the bytes by which the next key differs from the last.
    private mutating func appendDifference() {
        bytes[count] = ChunkReader.Form.difference.rawValue
        count += 1
        for start in stride(from: 0, to: keyLength, by: 8) {
            let word = UInt64(littleEndian: next.load(fromByteOffset: start, as: UInt64.self))
            var difference = word ^ UInt64(littleEndian: last.load(fromByteOffset: start, as: UInt64.self))
            let place = count
            var mask: UInt8 = 0
            count &+= 1
            while difference != 0 {
                let byte = UInt64(truncatingIfNeeded: difference.trailingZeroBitCount) &>> 3
                mask |= 1 &<< UInt8(truncatingIfNeeded: byte)
                bytes[count] = UInt8(truncatingIfNeeded: word &>> (byte &* 8))
                count &+= 1
                difference &= ~(0xFF &<< (byte &* 8))
            }
            bytes[place] = mask
        }
    }
}

extension ViewEnvironment {
    /// Writes the rows of a table that lie in chunks, and answers by how much its digest changes.
    ///
    /// Costs a chunk for each in which a row changes.
    func writeChunks(
        _ tree: RowTree, _ view: ViewTable, in transaction: borrowing WriteTransaction
    ) throws -> UInt64 {
        let table = tables[view.index]
        let seed = catalog.tables[view.index].digestSeed
        var change: UInt64 = 0
        var new = RowTreeCursor(tree)
        new.seek(nil)
        let isEmpty = try transaction.statistics(of: table).entries == 0
        let stored = try transaction.writeCursor(in: table)
        var place = try transaction.unboundCursor(in: table)
        var writer = ChunkWriter()
        var old = OldChunk()
        while new.isValid {
            if !isEmpty { try old.read(for: new.key, at: &place, of: view) }
            // Keys out of order, as damage leaves them, would never end it.
            guard old.isInside(new.key) else {
                throw StoreError.unreadableRow(of: view, at: RawSpan(_unsafeBytes: new.key))
            }
            writer.begin(at: old.start)
            let limit = old.rowLimit(with: new)
            var (index, hasWritten) = (0, false)
            while true {
                let oldKey = index < old.rows.count ? old.rows.key(at: index) : nil
                var newKey = new.isValid ? new.key : nil
                if let key = newKey, !old.isInside(key) { newKey = nil }
                guard let key = oldKey ?? newKey else { break }
                // Below 0 if the old row comes first, 0 if the new one takes its place.
                let order = newKey.map { oldKey == nil ? 1 : ByteOrder.compare(key, $0) } ?? -1
                let value = order < 0 ? old.rows.value(at: index) : new.value
                let taken = order > 0 ? newKey ?? key : key
                if order == 0 { change &-= Digest.row(seed, key, old.rows.value(at: index)) }
                if let value {
                    if order >= 0 { change &+= Digest.row(seed, taken, value) }
                    if writer.rowCount == limit || writer.isFull(before: taken, value) {
                        try stored.put(writer.chunk, for: writer.key, mode: isEmpty ? .append : .upsert)
                        hasWritten = true
                        writer.begin()
                    }
                    writer.append(taken, value)
                }
                if order <= 0 { index += 1 }
                if order >= 0 { new.advance() }
            }
            if !writer.isEmpty {
                try stored.put(writer.chunk, for: writer.key, mode: isEmpty ? .append : .upsert)
            } else if !hasWritten, let start = old.start {
                try transaction.remove(start.span.bytes, in: table)
            }
        }
        return change
    }
}

/// A chunk that is about to be written again: its rows as they were, and which keys belong to it.
private struct OldChunk: ~Copyable {
    private(set) var start: [UInt8]?
    private var end: [UInt8]?
    private(set) var rows = ChunkRows()
    /// Holds the values of the rows.
    private var bytes = ByteWriter(capacity: 2 * ChunkWriter.fullSize)

    /// Takes the chunk to which a key belongs; none if it is below all.
    mutating func read(for key: UnsafeRawBufferPointer, at place: inout UnboundCursor, of view: ViewTable) throws {
        bytes.removeAll()
        rows.removeAll()
        (start, end) = (nil, nil)
        if try place.seek(atOrBelow: key) {
            start = [UInt8](place.key)
            bytes.append(place.value)
            guard rows.read(bytes.bytes.withUnsafeBytes { $0 }, from: place.key) else {
                throw StoreError.unreadableRow(of: view, at: RawSpan(_unsafeBytes: place.key))
            }
            if try place.move(.next) { end = [UInt8](place.key) }
        } else if try place.move(.first) {
            end = [UInt8](place.key)
        }
    }

    /// Whether a key is below the next chunk's.
    func isInside(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let end else { return true }
        return end.withUnsafeBytes { ByteOrder.compare(key, $0) } < 0
    }

    /// How many rows each chunk gets, so that rows between old ones leave none nearly empty.
    func rowLimit(with new: RowTreeCursor) -> Int {
        guard rows.count > 0, ByteOrder.compare(new.key, rows.key(at: rows.count - 1)) < 0 else { return .max }
        var all = rows.count
        var ahead = new
        while ahead.isValid, isInside(ahead.key) {
            let index = rows.firstIndex(notBelow: ahead.key)
            let isOld = index < rows.count && ByteOrder.compare(rows.key(at: index), ahead.key) == 0
            all += (ahead.value == nil ? 0 : 1) - (isOld ? 1 : 0)
            ahead.advance()
        }
        let chunks = (all * bytes.count / rows.count + ChunkWriter.fullSize - 1) / ChunkWriter.fullSize
        return chunks > 1 ? (all + chunks - 1) / chunks : .max
    }
}

extension WriteTransaction {
    /// Appends rows, which ascend, to a table without rows whose rows lie in chunks; answers its digest.
    borrowing func appendChunks(
        of cursor: inout RowCursor, to table: MessageStoreLMDB.Table, seed: UInt64
    ) throws -> UInt64 {
        var digest: UInt64 = 0
        var writer = ChunkWriter()
        while try cursor.next() {
            let (key, value) = (cursor.key.withUnsafeBytes { $0 }, cursor.value.withUnsafeBytes { $0 })
            digest &+= Digest.row(seed, key, value)
            if writer.isFull(before: key, value) {
                try put(writer.chunk, for: writer.key, in: table, mode: .append)
                writer.begin()
            }
            writer.append(key, value)
        }
        if !writer.isEmpty { try put(writer.chunk, for: writer.key, in: table, mode: .append) }
        return digest
    }
}
