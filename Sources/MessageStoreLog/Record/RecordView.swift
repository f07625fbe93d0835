/// A record in memory, read in place without decoding or copying.
@_spi(Storage) public struct RecordView: ~Escapable {
    /// The whole record.
    public let bytes: RawSpan

    /// Wraps bytes whose lengths add up.
    ///
    /// - Returns: nil where the bytes are no record. The checksum is not looked at; see ``isIntact(at:)``.
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

    /// How many bytes the record has that begins here; nil where there is no room for one.
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
    /// What happened.
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
    /// The conversation's number; 0 where there is none.
    @inlinable public var conversation: UInt32 { load(RecordLayout.conversation) }
    /// The number of who did it; 0 where nobody is named.
    @inlinable public var actor: UInt32 { load(RecordLayout.actor) }
    /// The content type's number; 0 where there is none.
    @inlinable public var contentType: UInt32 { load(RecordLayout.contentType) }
    /// How many records of the same call precede it.
    @inlinable public var commitIndex: UInt32 { load(RecordLayout.commitIndex) }

    /// The server's time; nil where there is none.
    @inlinable public var serverTime: Timestamp? {
        flags.contains(.hasServerTime) ? Timestamp(milliseconds: load(RecordLayout.serverTime)) : nil
    }

    /// The bytes of the server id; empty where there is none.
    public var serverID: RawSpan {
        @inlinable @_lifetime(copy self)
        get { part(from: RecordLayout.headerSize, count: serverIDLength) }
    }

    /// The bytes of the client token; empty where there is none.
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
