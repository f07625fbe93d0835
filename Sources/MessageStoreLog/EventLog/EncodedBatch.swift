/// The records of one commit, back to back in memory.
package struct EncodedBatch: ~Copyable {
    var writer: ByteWriter
    /// Where each record begins.
    private(set) var starts: [Int] = []
    /// Where the last kept record ends; one that was appended may follow it.
    private var end = 0
    package let firstPosition: Position
    package let recordedTime: Timestamp
    /// Whether some records keep the reading of a slow clock.
    var hasClocks = false

    /// - Parameter capacity: Bytes for which there is room at first.
    init(firstPosition: Position, recordedTime: Timestamp, capacity: Int) {
        writer = ByteWriter(capacity: capacity)
        self.firstPosition = firstPosition
        self.recordedTime = recordedTime
    }

    /// Records that were encoded before.
    ///
    /// - Returns: nil where the bytes are not intact records at positions that follow each other.
    init?(records: RawSpan, from firstPosition: Position) {
        var starts: [Int] = []
        var (offset, time, hasClocks) = (0, Timestamp.unknown, false)
        while offset < records.byteCount {
            let rest = records.extracting(offset..<records.byteCount)
            guard let count = RecordView.byteCount(ofFirstIn: rest), count <= rest.byteCount,
                let record = RecordView(rest.extracting(0..<count)),
                record.isIntact(at: Position(firstPosition.rawValue + UInt64(starts.count)))
            else { return nil }
            starts.append(offset)
            offset += count
            time = record.recordedTime
            if record.flags.contains(.hasClock) { hasClocks = true }
        }
        guard !starts.isEmpty else { return nil }
        self.init(firstPosition: firstPosition, recordedTime: time, capacity: records.byteCount)
        writer.append(records)
        self.starts = starts
        end = offset
        self.hasClocks = hasClocks
    }

    package var count: Int { starts.count }
    package var lastPosition: Position { Position(firstPosition.rawValue + UInt64(starts.count) - 1) }
    package var nextPosition: Position { Position(firstPosition.rawValue + UInt64(starts.count)) }

    /// The bytes of the records, all together.
    package var byteCount: Int { writer.count }

    package subscript(index: Int) -> RecordView? {
        @_lifetime(borrow self)
        borrowing get { RecordView(writer.bytes.extracting(range(of: index))) }
    }

    /// The record at a position of this batch; nil where it is not kept (yet).
    package subscript(position: Position) -> RecordView? {
        @_lifetime(borrow self)
        borrowing get {
            guard position >= firstPosition, position < nextPosition else { return nil }
            return self[Int(position.rawValue - firstPosition.rawValue)]
        }
    }

    /// The bytes of a record; they stay where they are until the batch is changed or destroyed.
    borrowing func bytes(at index: Int) -> UnsafeRawBufferPointer {
        writer.bytes.extracting(range(of: index)).withUnsafeBytes { $0 }
    }

    /// The bytes of all records that are kept; they stay where they are until the batch is changed or destroyed.
    var bytes: UnsafeRawBufferPointer {
        borrowing get { writer.bytes.extracting(0..<end).withUnsafeBytes { $0 } }
    }

    private func range(of index: Int) -> Range<Int> {
        starts[index]..<(index + 1 < starts.count ? starts[index + 1] : end)
    }

    /// The record that was written after those that are kept.
    var appended: RecordView? {
        @_lifetime(borrow self)
        borrowing get { end < writer.count ? RecordView(wellFormed: writer.bytes.extracting(end..<writer.count)) : nil }
    }

    /// Where the clock said less than before; so may the first record, since the one before it is not known here.
    var clockFalls: [ClockFall] {
        guard hasClocks else { return [] }
        var (falls, last) = ([ClockFall](), Timestamp.latest)
        for index in 0..<count {
            guard let record = self[index] else { continue }
            if record.flags.contains(.hasClock), record.clockTime < last { falls.append(ClockFall(record)) }
            last = record.clockTime
        }
        return falls
    }

    /// Gives room back that is not used.
    mutating func trim() {
        truncate()
        writer.trim()
    }

    /// Gives the record that was written after those that are kept more flags, in place of others.
    mutating func insert(_ flag: RecordFlags, replacing others: RecordFlags = []) {
        let flags = appended?.flags.subtracting(others).union(flag) ?? flag
        writer.set(flags.rawValue, at: end + RecordLayout.flags)
    }

    /// Removes the content of the last record, which is not kept yet.
    mutating func redact() {
        let length = appended?.content.byteCount ?? 0
        let flags = appended?.flags.union(.isRedacted) ?? .isRedacted
        writer.truncate(to: writer.count - length)
        writer.set(flags.rawValue, at: end + RecordLayout.flags)
        writer.set(UInt32(0), at: end + RecordLayout.contentLength)
    }

    /// Keeps the record that was written after the others.
    mutating func keep() {
        RecordEncoder.seal(from: end, in: &writer)
        starts.append(end)
        end = writer.count
    }

    /// Removes the bytes that were written after the records that are kept.
    mutating func truncate() {
        writer.truncate(to: end)
    }
}
