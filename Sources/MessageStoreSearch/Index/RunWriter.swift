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
        while let highest = rest.first {
            if chunk.count + gram.count + Self.leastRoom > SearchRun.greatestChunk { try flush(to: rows) }
            if chunk.isEmpty {
                key = SearchRun.key(run.number, gram, from: highest)
                chunk.append(number: UInt64(run.chunks))
                lastGram.removeAll(keepingCapacity: true)
            }
            let room = SearchRun.greatestChunk - chunk.count - gram.count - 8
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
