/// Encodes the records of one commit, one after the other.
///
/// Each event is appended, and its record can be read. Then it is kept, or taken back as if it had never been appended.
package struct BatchWriter: ~Copyable {
    /// The records that are kept.
    package private(set) var batch: EncodedBatch
    private var encoder: RecordEncoder
    /// The flags that received messages of the past get, in addition to those of their fields.
    package var historyFlags: RecordFlags {
        get { encoder.historyFlags }
        set { encoder.historyFlags = newValue }
    }
    /// The flags that received messages get for the way on which they came.
    package var carrierFlags: RecordFlags {
        get { encoder.carrierFlags }
        set { encoder.carrierFlags = newValue }
    }
    /// The symbols that the records need and the log does not have yet.
    var newSymbols: [PendingSymbols.Entry] { encoder.newSymbols }
    /// How many of them the records that are kept need.
    private var symbolCount = 0
    /// What the events remove of what others say; those that are restored did so where they came from, or left it to the
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

    /// Validates an event and writes its record at the next position, after those that are kept.
    ///
    /// - Parameter flags: The flags of a record that is restored; nil where they follow from the event.
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names the first rule that the event breaks.
    package mutating func append(_ event: Event, flags: RecordFlags? = nil) throws {
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
        try encode(event, flags)
    }

    /// The later of what the clock shows and the newest time of a server; where there is none, and the clock shows a time
    /// before this library, the latest that it showed.
    private func corrected(_ clock: Timestamp) -> Timestamp {
        let newest = newestServerTime ?? .unknown
        return newest == .unknown && clock < .earliestCredible ? batch.recordedTime : max(clock, newest)
    }

    private mutating func encode(_ event: Event, _ flags: RecordFlags?) throws {
        try encoder.encode(
            event,
            at: .init(
                position: batch.nextPosition, commitIndex: UInt32(batch.count), recordedTime: batch.recordedTime,
                flags: flags),
            into: &batch.writer)
        if event.correctedTime != nil { batch.hasClocks = true }
        if !hiding.isEmpty, batch.appended?.hidesContent == true { batch.insert(hiding) }
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
