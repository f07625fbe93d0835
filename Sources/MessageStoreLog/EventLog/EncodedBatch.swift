/// The records of one commit, back to back in memory.
package struct EncodedBatch: ~Copyable {
    var writer = ByteWriter(capacity: 64 << 10)
    /// Where each record begins.
    private(set) var starts: [Int] = []
    /// Where the last kept record ends; one that is being written may stand behind it.
    private var end = 0
    package let firstPosition: Position
    package let recordedTime: Timestamp

    init(firstPosition: Position, recordedTime: Timestamp) {
        self.firstPosition = firstPosition
        self.recordedTime = recordedTime
    }

    package var count: Int { starts.count }
    package var lastPosition: Position { Position(firstPosition.rawValue + UInt64(starts.count) - 1) }
    var nextPosition: Position { Position(firstPosition.rawValue + UInt64(starts.count)) }

    /// The bytes of the records, all together.
    package var byteCount: Int { writer.count }

    package subscript(index: Int) -> RecordView? {
        @_lifetime(borrow self)
        borrowing get { RecordView(writer.bytes.extracting(range(of: index))) }
    }

    /// The bytes of a record; they stay where they are until the batch is changed or destroyed.
    borrowing func bytes(at index: Int) -> UnsafeRawBufferPointer {
        writer.bytes.extracting(range(of: index)).withUnsafeBytes { $0 }
    }

    private func range(of index: Int) -> Range<Int> {
        starts[index]..<(index + 1 < starts.count ? starts[index + 1] : end)
    }

    /// Keeps the record that was written from `start` to the writer's end.
    mutating func keep(from start: Int) {
        RecordEncoder.seal(from: start, in: &writer)
        starts.append(start)
        end = writer.count
    }
}
