/// Writes the rows of a run, gram by gram.
struct RunWriter {
    private(set) var run: SearchRun
    private var key: [UInt8] = []
    private var chunk: [UInt8] = []
    private var lastGram: [UInt8] = []
    private var list: [UInt8] = []

    /// A row is not begun with less room than this for a list.
    private static let leastRoom = 64

    init(_ run: SearchRun) { self.run = run }

    /// Bytes that were written.
    private(set) var byteCount = 0

    /// Appends a gram with its messages, the highest first.
    mutating func append(
        _ gram: UnsafeRawBufferPointer, _ positions: ArraySlice<UInt64>, to rows: borrowing LaggingRows
    ) throws {
        var rest = positions
        let greatest = rows.isSealed ? SearchRun.greatestSealedChunk : SearchRun.greatestChunk
        while let highest = rest.first {
            if chunk.count + gram.count + Self.leastRoom > greatest { try flush(to: rows) }
            if chunk.isEmpty {
                key = SearchRun.key(run.number, gram, from: highest)
                chunk.append(number: UInt64(run.chunks))
                lastGram.removeAll(keepingCapacity: true)
            }
            let room = greatest - chunk.count - gram.count - 8
            let end = fill(rest, room)
            appendHeader(gram, count: end - rest.startIndex)
            chunk.append(contentsOf: list)
            run.highest = max(run.highest, highest)
            run.lowest = min(run.lowest, rest[end - 1])
            rest = rest[end...]
        }
    }

    /// Encodes as many messages as there is room for; answers the index of the first that is left.
    private mutating func fill(_ positions: ArraySlice<UInt64>, _ room: Int) -> Int {
        list.removeAll(keepingCapacity: true)
        var index = positions.startIndex
        var last = UInt64.max
        while index < positions.endIndex, list.count + 10 <= room {
            let position = positions[index]
            // The first as it is, the others by how far they are below the one before.
            list.append(number: last == .max ? position : last - position)
            last = position
            index += 1
        }
        return index
    }

    private mutating func appendHeader(_ gram: UnsafeRawBufferPointer, count: Int) {
        var shared = 0
        let limit = min(gram.count, lastGram.count)
        while shared < limit, gram[shared] == lastGram[shared] { shared += 1 }
        chunk.append(UInt8(shared))
        chunk.append(UInt8(gram.count - shared))
        chunk.append(contentsOf: gram[shared...])
        chunk.append(number: UInt64(count))
        if count > 1 { chunk.append(number: UInt64(list.count)) }
        lastGram.removeAll(keepingCapacity: true)
        lastGram.append(contentsOf: gram)
    }

    /// Writes the row that is being filled.
    mutating func flush(to rows: borrowing LaggingRows) throws {
        guard !chunk.isEmpty else { return }
        try rows.put(chunk, at: key)
        byteCount += chunk.count + key.count
        run.chunks &+= 1
        chunk.removeAll(keepingCapacity: true)
    }
}

/// A sorted list of grams with the messages that have them, of a range of events.
///
/// It lies in rows of up to ``greatestChunk`` bytes. The key of a row is the run's number, the row's first gram, and the
/// highest message in the row's part of that gram's list; its value is the row's number in the run, then for each gram
/// the length of the prefix that it shares with the one before, the rest of it, and its messages, the highest first, as
/// differences. Rows are numbered, so that a missing one is noticed.
struct SearchRun: Equatable {
    let number: UInt32
    /// How many events it is of.
    var events: UInt64
    /// How many rows it has.
    var chunks: UInt32 = 0
    /// The lowest and the highest message in its lists.
    var lowest: UInt64 = .max
    var highest: UInt64 = 0
    /// How many of the erasures it has applied, see ``SearchDirectory``.
    var erasures: UInt64 = 0

    /// The bytes of a row: with its checksum it fills a page of 4,096 bytes of its own, in whatever order rows are written.
    static let greatestChunk = 4_076
    /// The same if rows are sealed: the seal, and the rest of a key of whatever length, are in the page as well.
    static let greatestSealedChunk = greatestChunk - 24 - 2 - 264

    /// Runs of a size class are merged when there are so many; each class is so many times as large as the one before.
    static let fanOut = 8
    private static let smallest: UInt64 = 512
    /// More than any log has.
    static let greatestEvents: UInt64 = 1 << 48

    var level: Int {
        var (level, size) = (0, Self.smallest * UInt64(Self.fanOut))
        while events >= size {
            level += 1
            size *= UInt64(Self.fanOut)
        }
        return level
    }

    /// The first byte of the keys of chunks; the keys of everything else begin with a byte before it.
    static let keyKind: UInt8 = 1

    /// The beginning of the keys of a run's rows.
    static func key(_ number: UInt32) -> [UInt8] {
        [keyKind] + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    /// The key of the row with the messages of a gram from the highest wanted on.
    static func key(_ number: UInt32, _ gram: UnsafeRawBufferPointer, from highest: UInt64) -> [UInt8] {
        var key = Self.key(number)
        key.append(contentsOf: gram)
        key.append(0)
        withUnsafeBytes(of: (~highest).bigEndian) { key.append(contentsOf: $0) }
        return key
    }
}
