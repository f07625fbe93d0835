/// Puts ascending rows into a chunk, see ``ChunkReader``.
struct ChunkWriter: ~Copyable {
    /// About how many bytes a chunk has at most: four of them fill a page.
    static let fullSize = 960
    /// From so many bytes on a chunk ends with the rows of a conversation, so that what is added to one changes no
    /// other's.
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
            _overrideLifetime(
                RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[..<count])), borrowing: self)
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
