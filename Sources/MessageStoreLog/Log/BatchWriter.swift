/// Encodes the records of one commit, one after the other.
///
/// Each event is appended, and its record can be read. Then it is kept, or taken back as if it had never been appended.
package struct BatchWriter: ~Copyable {
    /// The records that are kept.
    package private(set) var batch: EncodedBatch
    private var encoder: RecordEncoder
    /// The flags that received messages of the past get, in addition to their fields' flags.
    package var historyFlags: RecordFlags {
        get { encoder.historyFlags }
        set { encoder.historyFlags = newValue }
    }
    /// The flags that received messages get for the way on which they came.
    package var carrierFlags: RecordFlags {
        get { encoder.carrierFlags }
        set { encoder.carrierFlags = newValue }
    }
    /// Called with the server id of each received message before its record is written, whether it is kept or not.
    package var mayClaim: ((IdentityKey) -> Void)? {
        get { encoder.mayClaim }
        set { encoder.mayClaim = newValue }
    }
    /// The symbols that the records need and the log does not have yet.
    var newSymbols: [PendingSymbols.Entry] { encoder.newSymbols }
    /// How many of them the records that are kept need.
    private var symbolCount = 0
    /// The events' removals of what others say; restored events removed it where they came from, or left it to the
    /// configuration.
    private(set) var erasing: [OwedErasure] = []
    /// Whether messages may disappear by what an event says.
    private(set) var setsTimers = false
    /// The time of recording, by the clock; nil for restored events, which have their own.
    private let clock: Timestamp?
    /// The newest time of a server up to here; nil if nobody has looked for it.
    private(set) var newestServerTime: Timestamp?
    /// The flags of events that hide content: whether that is to be erased, and at once.
    private let hiding: RecordFlags

    init(
        account: UserID, symbols: SymbolTable, firstPosition: Position, recordedTime: Timestamp,
        clock: Timestamp? = nil, newestServerTime: Timestamp? = nil, hiding: RecordFlags = [],
        capacity: Int = 64 << 10
    ) {
        (self.clock, self.newestServerTime, self.hiding) = (clock, newestServerTime, hiding)
        batch = EncodedBatch(firstPosition: firstPosition, recordedTime: recordedTime, capacity: capacity)
        encoder = RecordEncoder(account: account, symbols: symbols)
    }

    /// Validates an event and writes its record at the next position, after the kept ones.
    ///
    /// - Parameter flags: The flags of a record that is restored; nil if they follow from the event.
    /// - Returns: The key of the server id of a received message.
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names the first rule that the event breaks.
    @discardableResult
    package mutating func append(_ event: Event, flags: RecordFlags? = nil) throws -> IdentityKey? {
        if let clock, clock < batch.recordedTime || event.clockTime != nil || event.correctedTime != nil {
            var event = event
            let isSlow = clock < batch.recordedTime
            event.clockTime = isSlow ? clock : nil
            event.correctedTime = isSlow ? corrected(clock) : nil
            // One that is recorded anew, in a newer version's words.
            if event.type.has(.mergedByTime), var unknown = event.payload as? UnknownEvent {
                unknown.fields = FieldReader(unknown.fields.span.bytes).bytes(
                    except: FieldNumbers([CommonField.clockTime.number]))
                event.payload = unknown
            }
            return try encode(event, flags)
        }
        return try encode(event, flags)
    }

    /// The later of what the clock shows and the newest time of a server; where there is none, and the clock shows a time
    /// before this library, the latest that it showed.
    private func corrected(_ clock: Timestamp) -> Timestamp {
        let newest = newestServerTime ?? .unknown
        return newest == .unknown && clock < .earliestCredible ? batch.recordedTime : max(clock, newest)
    }

    private mutating func encode(_ event: Event, _ flags: RecordFlags?) throws -> IdentityKey? {
        let serverID = try encoder.encode(
            event,
            at: .init(
                position: batch.nextPosition, commitIndex: UInt32(batch.count), recordedTime: batch.recordedTime,
                flags: flags),
            into: &batch.writer)
        if event.correctedTime != nil { batch.hasClocks = true }
        if !hiding.isEmpty, batch.appended?.hidesContent == true { batch.insert(hiding) }
        return serverID
    }

    /// Appends an event in the place of another, and keeps the flags that follow from no event: whether content was
    /// removed, unless the new event has some, by which rule the past counts, and on which way a message came.
    mutating func append(_ event: Event, inPlaceOf flags: RecordFlags) throws {
        try append(event)
        guard let own = appended?.flags else { return }
        var kept = flags.intersection([.isRedacted, .countsAboveMarker, .isHandedOver])
        if flags.isOfPackage { kept.insert(.packageBit) }
        if appended?.type != .messageReceived { kept.formIntersection(.isRedacted) }
        if appended?.contentLength != 0 { kept.remove(.isRedacted) }
        guard !kept.isSubset(of: own) else { return }
        rollBack()
        try append(event, flags: own.union(kept))
    }

    /// The record that was appended last and is not kept yet.
    package var appended: RecordView? {
        @_lifetime(borrow self)
        borrowing get { batch.appended }
    }

    /// Whether content that the events hide is to be erased.
    package var erasesHidden: Bool { !hiding.isEmpty }

    /// Leaves the symbols that the records asked for to the next batch.
    mutating func leaveRecentSymbols() { encoder.leaveRecentSymbols() }

    /// Removes the content of the appended record, as redaction does.
    package mutating func redact() { batch.redact() }

    /// Lets the content that the appended record hides be erased; from then on it does not say that it was in a package.
    package mutating func eraseHidden() { batch.insert(hiding, replacing: .packageBit) }

    /// The content type of a number that a record of the batch has.
    package borrowing func contentType(_ number: UInt32) throws -> ContentType { try encoder.contentType(number) }

    /// Keeps the appended record.
    package mutating func keep() {
        if let erasure = batch.appended?.erasure, clock != nil || erasure.state == .hidden {
            erasing.append(erasure)
        }
        if batch.appended?.setsTimer == true { setsTimers = true }
        if let newest = newestServerTime, let time = batch.appended?.credibleServerTime {
            newestServerTime = max(newest, time)
        }
        batch.keep()
        symbolCount = encoder.newSymbolCount
    }

    /// Takes the appended record back, and the symbols that only it needs.
    package mutating func rollBack() {
        batch.truncate()
        encoder.rollBackSymbols(to: symbolCount)
    }
}

/// The records of one commit, back to back in memory.
package struct EncodedBatch: ~Copyable {
    var writer: ByteWriter
    /// The offset of each record.
    private(set) var starts: [Int] = []
    /// The end of the last kept record; an appended one may follow it.
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
    /// - Returns: nil if the bytes are not intact records at positions that follow each other.
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

    /// The record at a position of this batch; nil if it is not kept (yet).
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

    /// The record that was written after the kept ones.
    var appended: RecordView? {
        @_lifetime(borrow self)
        borrowing get { end < writer.count ? RecordView(wellFormed: writer.bytes.extracting(end..<writer.count)) : nil }
    }

    /// Records at which the clock said less than before; the first record may be one, since the one before it is not
    /// known here.
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

    /// Gives the record that was written after the kept ones more flags, in place of others.
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
