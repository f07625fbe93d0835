/// A record in memory, read in place without decoding or copying.
@_spi(Storage) public struct RecordView: ~Escapable {
    /// The whole record.
    public let bytes: RawSpan

    /// Wraps bytes whose lengths add up.
    ///
    /// - Returns: nil if the bytes are no record. The checksum is not looked at; see ``isIntact(at:)``.
    @_lifetime(copy bytes)
    @inlinable @inline(__always) public init?(_ bytes: RawSpan) {
        self.bytes = bytes
        guard bytes.byteCount >= RecordLayout.headerSize else { return nil }
        let variable = serverIDLength + clientTokenLength + storedFieldsLength + contentLength
        guard bytes.byteCount == RecordLayout.headerSize + variable, fieldsLength >= 0 else { return nil }
    }

    /// Wraps bytes that were found to be a record before.
    @_lifetime(copy bytes)
    package init(wellFormed bytes: RawSpan) {
        self.bytes = bytes
    }

    /// How many bytes the record has that begins here; nil if there is no room for one.
    static func byteCount(ofFirstIn bytes: RawSpan) -> Int? {
        guard bytes.byteCount >= RecordLayout.headerSize,
            let serverID = bytes.load(at: RecordLayout.serverIDLength, as: UInt8.self),
            let token = bytes.load(at: RecordLayout.clientTokenLength, as: UInt8.self),
            let fields = bytes.load(at: RecordLayout.fieldsLength, as: UInt32.self),
            let content = bytes.load(at: RecordLayout.contentLength, as: UInt32.self)
        else { return nil }
        return RecordLayout.headerSize + Int(serverID) + Int(token) + Int(fields) + Int(content)
    }

    /// Whether checksum and position fit: the record is the one that was written there (I10).
    package func isIntact(at position: Position) -> Bool {
        self.position == position && checksum == Self.checksum(of: bytes)
    }

    static func checksum(of record: RawSpan) -> UInt64 {
        XXH64.hash(record.extracting(RecordLayout.position..<record.byteCount), seed: RecordLayout.checksumSeed)
    }

    /// XXH64 of what follows.
    @inlinable public var checksum: UInt64 { load(RecordLayout.checksum) }
    /// The record's position.
    @inlinable public var position: Position { Position(load(RecordLayout.position)) }
    /// The event's type.
    @inlinable public var type: EventType { EventType(rawValue: load(RecordLayout.type)) }
    /// The version of the type's payload.
    @inlinable public var schemaVersion: UInt8 { load(RecordLayout.schemaVersion) }
    /// How the store learned of it.
    @inlinable public var origin: Origin { Origin(rawValue: load(RecordLayout.origin)) }
    /// The flags that folds read without decoding.
    @inlinable public var flags: RecordFlags { RecordFlags(rawValue: load(RecordLayout.flags)) }
    /// When it was recorded, by the local clock, or the latest time of an earlier record where the clock showed
    /// less: never decreases along the log.
    @inlinable public var recordedTime: Timestamp { Timestamp(milliseconds: load(RecordLayout.recordedTime)) }
    /// The conversation's number; 0 if there is none.
    @inlinable public var conversation: UInt32 { load(RecordLayout.conversation) }
    /// The number of who did it; 0 if nobody is named.
    @inlinable public var actor: UInt32 { load(RecordLayout.actor) }
    /// The content type's number; 0 if there is none.
    @inlinable public var contentType: UInt32 { load(RecordLayout.contentType) }
    /// How many records of the same call precede it.
    @inlinable public var commitIndex: UInt32 { load(RecordLayout.commitIndex) }

    /// The server's time; nil if there is none.
    @inlinable public var serverTime: Timestamp? {
        flags.contains(.hasServerTime) ? Timestamp(milliseconds: load(RecordLayout.serverTime)) : nil
    }

    /// The bytes of the server id; empty if there is none.
    public var serverID: RawSpan {
        @inlinable @_lifetime(copy self)
        get { part(from: RecordLayout.headerSize, count: serverIDLength) }
    }

    /// The bytes of the client token; empty if there is none.
    public var clientToken: RawSpan {
        @inlinable @_lifetime(copy self)
        get { part(from: RecordLayout.headerSize + serverIDLength, count: clientTokenLength) }
    }

    /// The fields that folds need; redaction leaves them.
    @usableFromInline package var fields: FieldReader {
        @_lifetime(copy self)
        get { FieldReader(part(from: fieldsOffset, count: fieldsLength)) }
    }

    /// The content; redaction removes it.
    public var content: RawSpan {
        @inlinable @_lifetime(copy self)
        get { part(from: fieldsOffset + fieldsLength, count: contentLength) }
    }

    /// The bytes of the fields.
    public var fieldBytes: RawSpan {
        @inlinable @inline(__always) @_lifetime(copy self)
        get { part(from: fieldsOffset, count: fieldsLength) }
    }

    @inlinable @inline(__always) var serverIDLength: Int { Int(load(RecordLayout.serverIDLength) as UInt8) }
    @inlinable @inline(__always) var clientTokenLength: Int { Int(load(RecordLayout.clientTokenLength) as UInt8) }
    @inlinable @inline(__always) var storedFieldsLength: Int { Int(load(RecordLayout.fieldsLength) as UInt32) }
    @inlinable @inline(__always) var fieldsLength: Int { storedFieldsLength - clockLength }
    @inlinable @inline(__always) var clockLength: Int { flags.contains(.hasClock) ? RecordLayout.clockSize : 0 }
    @inlinable @inline(__always) var contentLength: Int { Int(load(RecordLayout.contentLength) as UInt32) }
    @inlinable @inline(__always) var clockOffset: Int { RecordLayout.headerSize + serverIDLength + clientTokenLength }
    @inlinable @inline(__always) var fieldsOffset: Int { clockOffset + clockLength }

    @inlinable @inline(__always)
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Value {
        Value(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    @inlinable @_lifetime(copy self)
    func part(from offset: Int, count: Int) -> RawSpan {
        bytes.extracting(offset..<offset + count)
    }
}

extension FieldReader.Field {
    /// The numbers of a packed list; stops at broken bytes.
    package func forEachPacked<Failure: Error>(_ body: (UInt32) throws(Failure) -> Void) throws(Failure) {
        var reader = FieldReader(bytes)
        while !reader.isAtEnd, let number = reader.varint() {
            try body(UInt32(truncatingIfNeeded: number))
        }
    }

    package var packed: [UInt32] {
        var numbers: [UInt32] = []
        forEachPacked { numbers.append($0) }
        return numbers
    }
}

/// A message named in a record, by local id or by the bytes of its server id.
package enum ReferenceView: ~Escapable {
    case local(LocalMessageID)
    case server(RawSpan)
}

extension FieldReader {
    /// The first field of this number, or nil.
    @_lifetime(copy self)
    package func first(_ number: UInt32) -> Field? {
        var reader = self
        while let field = reader.next() {
            if field.id == number { return field }
        }
        return nil
    }

    /// The number in the first field of this number, or nil.
    @usableFromInline package func firstNumber(_ number: UInt32) -> UInt64? { first(number)?.number }

    /// The signed number in the first field of this number, or nil.
    @usableFromInline package func firstSigned(_ number: UInt32) -> Int64? { first(number)?.signed }

    /// The string in the first field of this number, or nil.
    @usableFromInline package func firstString(_ number: UInt32) -> String? { first(number)?.string }

    /// The packed numbers in the first field of this number, or nil.
    @usableFromInline package func firstPacked(_ number: UInt32) -> [UInt32]? { first(number)?.packed }

    /// The number in every field of this number.
    package func forEachNumber<Failure: Error>(
        _ number: UInt32, _ body: (UInt64) throws(Failure) -> Void
    ) throws(Failure) {
        var reader = self
        while let field = reader.next() {
            if field.id == number { try body(field.number) }
        }
    }

    /// The strings in every field of this number.
    @usableFromInline package func strings(_ number: UInt32) -> [String] {
        var strings: [String] = []
        var reader = self
        while let field = reader.next() {
            if field.id == number { strings.append(field.string) }
        }
        return strings
    }

    /// The pairs in every field of this number: groups of the fields 1 and 2.
    @usableFromInline package func pairs(_ number: UInt32) -> [String: String] {
        var pairs: [String: String] = [:]
        var reader = self
        while let field = reader.next() {
            guard field.id == number else { continue }
            var nested = FieldReader(field.bytes)
            var pair = (key: "", value: "")
            while let part = nested.next() {
                if part.id == 1 { pair.key = part.string }
                if part.id == 2 { pair.value = part.string }
            }
            if pairs.isEmpty { pairs.reserveCapacity(4) }
            pairs[pair.key] = pair.value
        }
        return pairs
    }

    /// The messages in every field of this number (local ids) and the next (server ids), in their order.
    package func forEachReference<Failure: Error>(
        _ number: UInt32, _ body: (ReferenceView) throws(Failure) -> Void
    ) throws(Failure) {
        var reader = self
        while let field = reader.next() {
            switch field.id {
            case number: try body(.local(LocalMessageID(field.number)))
            case number &+ 1: try body(.server(field.bytes))
            default: break
            }
        }
    }
}

/// The numbers that a record's fields have, and the numbers of its content.
package struct RecordNumbers: Sendable {
    /// For records that were not looked through.
    static let all = RecordNumbers(fields: .all, content: .all)

    let fields: FieldNumbers
    let content: FieldNumbers
}

extension RecordView {
    /// The numbers of fields and content; nil if they cannot be read to their end. Of a type that is not built in the
    /// content is not looked at.
    package var numbers: RecordNumbers? {
        guard let fields = fields.numbers else { return nil }
        guard type.isKnown else { return RecordNumbers(fields: fields, content: .all) }
        return FieldReader(content).numbers.map { RecordNumbers(fields: fields, content: $0) }
    }
}

extension RecordView {
    /// Whether the event removes what others say from the log.
    package var erases: Bool {
        switch type {
        case .messagesDeleted: self[MessagesDeleted.erases]
        case .historyCleared: self[HistoryCleared.erases]
        case .conversationDeleted: self[ConversationDeleted.erases]
        case .valuesErased: true
        default: false
        }
    }

    /// Whether the event hides content, and leaves it in the log.
    var hidesContent: Bool {
        switch type {
        case .messageRecalled: true
        case .messagesDeleted, .historyCleared: !erases
        case .conversationDeleted: self[ConversationDeleted.alsoMessages] && !erases
        case .messageSnapshotReceived: self[MessageSnapshotReceived.Fields.isRecalled]
        default: false
        }
    }

    /// The erasure that the log owes for the event since its recording; nil for one that erases nothing.
    @inline(__always) var erasure: OwedErasure? {
        if erases { return OwedErasure(event: position, since: correctedTime) }
        guard flags.contains(.erasesHidden) else { return nil }
        return OwedErasure(event: position, since: correctedTime, hides: !flags.contains(.erasesAtOnce))
    }

    /// Whether messages may disappear by what the event says.
    package var setsTimer: Bool { flags.contains(.hasTimer) || type == .conversationTimerChanged }

    /// The timer that a message carries.
    package var timer: MessageTimer? {
        self[MessageTimer.Fields.seconds].map {
            MessageTimer(seconds: $0, runsFromReading: self[MessageTimer.Fields.runsFromReading] ?? false)
        }
    }
}

extension RecordView {
    /// The queued message of an event about its sending.
    package var queuedMessage: LocalMessageID? {
        switch type {
        case .messageSent: self[MessageSent.Fields.message]
        case .messageSendFailed: self[MessageSendFailed.message]
        case .messageSendRetried: self[MessageSendRetried.message]
        default: nil
        }
    }

    /// The message that goes by the record's server id from now on: one that was acknowledged or repeated by it.
    package var renamedMessage: LocalMessageID? {
        switch type {
        case .messageSent: self[MessageSent.Fields.message]
        case .messageDuplicateSuppressed: self[MessageDuplicateSuppressed.duplicateOf]
        default: nil
        }
    }
}

extension RecordView {
    /// Equal for messages that may repeat each other: conversation, sender, type and content (d12).
    package var repeatKey: UInt64 {
        let seed = UInt64(conversation) << 32 | UInt64(actor)
        return XXH64.hash(content, seed: seed &+ UInt64(contentType) &* 0x9E37_79B1_85EB_CA87)
    }

    /// Whether this received message says the same as an earlier one, by the same sender, within a time.
    ///
    /// Messages with tokens of their own are different messages, whatever they say (D20), and so are those whose words
    /// are gone.
    package func repeats(_ other: RecordView, within window: Int64) -> Bool {
        guard other.type == .messageReceived, conversation == other.conversation, actor == other.actor,
            contentType == other.contentType, !flags.union(other.flags).contains(.isRedacted),
            clientToken.byteCount == 0 || other.clientToken.byteCount == 0,
            let time = serverTime, let otherTime = other.serverTime,
            (time.milliseconds &- otherTime.milliseconds).magnitude <= window.magnitude
        else { return false }
        return content.isEqual(to: other.content) && position != other.position
    }
}
