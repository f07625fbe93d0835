internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// Reads the rows of a run in order, gram by gram.
///
/// It copies each row, since pages move when the transaction that it belongs to writes others.
struct ChunkReader: ~Copyable {
    private var cursor: UnboundCursor
    private let run: SearchRun
    private let prefix: [UInt8]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: SearchRun.greatestChunk, alignment: 1)
    private var numbers = NumberReader(UnsafeRawBufferPointer(start: nil, count: 0))
    /// The number of the row that is read; nil before the first.
    private var chunk: UInt64?
    private(set) var gram: [UInt8] = []
    /// How many messages the row has of the gram.
    private(set) var count: UInt64 = 0
    /// Their encoding; valid until the reader moves.
    private(set) var list = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ run: SearchRun, _ cursor: consuming UnboundCursor) {
        self.run = run
        self.cursor = cursor
        prefix = SearchRun.key(run.number)
    }

    deinit { buffer.deallocate() }

    /// Moves to the first entry that is not below a gram and a message: of that gram, or the next one.
    ///
    /// - Returns: Whether there is one.
    mutating func seek(_ wanted: UnsafeRawBufferPointer, from highest: UInt64) throws -> Bool {
        let key = SearchRun.key(run.number, wanted, from: highest)
        let isFound = try key.withUnsafeBytes { try cursor.seek(atOrBelow: $0) }
        if isFound, isInRun {
            try open()
        } else {
            // Before the first row of the run.
            guard try isFound ? cursor.move(.next) : cursor.move(.first), isInRun else {
                guard run.chunks == 0 else { throw LaggingRow.damaged }
                return false
            }
            try open()
            guard chunk == 0 else { throw LaggingRow.damaged }
        }
        repeat {
            guard try next() else { return false }
        } while gram.withUnsafeBytes { ByteOrder.compare($0, wanted) < 0 }
        return true
    }

    /// Moves to the first entry of the run.
    mutating func first() throws -> Bool { try [].withUnsafeBytes { try seek($0, from: .max) } }

    /// Moves to the next entry; false after the last one.
    mutating func next() throws -> Bool {
        while numbers.isAtEnd {
            guard let chunk else { return try first() }
            guard try cursor.move(.next), isInRun else {
                guard chunk + 1 == UInt64(run.chunks) else { throw LaggingRow.damaged }
                return false
            }
            try open()
            guard self.chunk == chunk + 1 else { throw LaggingRow.damaged }
        }
        guard let shared = numbers.take(1)?[0], let rest = numbers.take(1)?[0], Int(shared) <= gram.count,
            let suffix = numbers.take(UInt64(rest)), let count = numbers.next(), count > 0
        else { throw LaggingRow.damaged }
        gram.removeLast(gram.count - Int(shared))
        gram.append(contentsOf: suffix)
        self.count = count
        if count > 1 {
            guard let list = numbers.take(numbers.next()) else { throw LaggingRow.damaged }
            self.list = list
        } else {
            let start = numbers.offset
            guard numbers.next() != nil else { throw LaggingRow.damaged }
            list = UnsafeRawBufferPointer(rebasing: numbers.bytes[start..<numbers.offset])
        }
        return true
    }

    private var isInRun: Bool { cursor.key.starts(with: prefix) }

    private mutating func open() throws {
        let row = try LaggingRow.payload(cursor.openValue, at: cursor.key)
        guard row.count <= buffer.count else { throw LaggingRow.damaged }
        buffer.copyMemory(from: row)
        numbers = NumberReader(UnsafeRawBufferPointer(rebasing: buffer[..<row.count]))
        guard let chunk = numbers.next(), chunk < UInt64(run.chunks) else { throw LaggingRow.damaged }
        self.chunk = chunk
        gram.removeAll(keepingCapacity: true)
    }

    /// Adds the messages of the entry to a list.
    func appendPositions(to positions: inout [UInt64]) throws {
        var reader = PostingReader(list)
        while let position = try reader.next() { positions.append(position) }
    }
}

/// Reads the messages of a gram in a row, the highest first.
struct PostingReader {
    private var numbers: NumberReader
    private var last: UInt64?

    init(_ list: UnsafeRawBufferPointer) { numbers = NumberReader(list) }

    @inline(__always)
    mutating func next() throws -> UInt64? {
        guard !numbers.isAtEnd else { return nil }
        guard let number = numbers.next() else { throw LaggingRow.damaged }
        guard let last else {
            self.last = number
            return number
        }
        guard number > 0, number <= last else { throw LaggingRow.damaged }
        self.last = last - number
        return last - number
    }
}

/// Numbers of seven bits a byte, the lowest first, as in Protocol Buffers.
struct NumberReader {
    let bytes: UnsafeRawBufferPointer
    var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset >= bytes.count }

    /// The next number; nil at the end, and if the bytes are broken.
    @inline(__always)
    mutating func next() -> UInt64? {
        guard offset < bytes.count else { return nil }
        let byte = bytes[offset]
        offset += 1
        guard byte >= 0x80 else { return UInt64(byte) }
        var (value, shift) = (UInt64(byte & 0x7F), UInt64(7))
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// So many of the next bytes; nil if there are fewer.
    mutating func take(_ count: UInt64?) -> UnsafeRawBufferPointer? {
        guard let count, count <= UInt64(bytes.count - offset) else { return nil }
        defer { offset += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)])
    }
}

extension [UInt8] {
    /// Appends a number as ``NumberReader`` reads it.
    @inline(__always)
    mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
