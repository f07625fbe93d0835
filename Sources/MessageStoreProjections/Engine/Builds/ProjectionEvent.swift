internal import MessageStoreLMDB
@_spi(Storage) public import MessageStoreLog

/// An event as a projection sees it: everything but its content, which redaction may remove.
///
/// The values of the library's events are read from their payloads: `event.payload(MessageReceived.self)?.sender`.
/// Values of a host's event can be read one by one: `event[Vote.choice]`. The event is valid only during `apply`.
public struct ProjectionEvent: ~Copyable {
    private let record: UnsafeRawBufferPointer
    private let symbols: SymbolTable
    private let failure: StorageFailure

    /// - Parameter record: Outlives the value.
    init(_ record: RecordView, _ symbols: SymbolTable, _ failure: StorageFailure) {
        self.record = record.bytes.withUnsafeBytes { $0 }
        self.symbols = symbols
        self.failure = failure
    }

    private var view: RecordView {
        @_lifetime(borrow self)
        get {
            let bytes = _overrideLifetime(RawSpan(_unsafeBytes: record), borrowing: self)
            return _overrideLifetime(RecordView(wellFormed: bytes), borrowing: self)
        }
    }

    /// The position in the log; a message's is its local id.
    public var position: Position { view.position }
    /// The event's type.
    public var type: EventType { view.type }
    /// How the store learned of it.
    public var origin: Origin { view.origin }
    /// When it was recorded, by the local clock, or the latest time of an earlier event where the clock showed less:
    /// never decreases along the log.
    public var recordedTime: Timestamp { view.recordedTime }
    /// The reading of the local clock at the recording; after a wrong reading less than ``recordedTime``.
    public var clockTime: Timestamp { view.clockTime }
    /// When it happened, by the server's clock; nil if the event does not say.
    public var serverTime: Timestamp? { view.serverTime }

    /// The conversation that the event belongs to; nil if it belongs to none.
    public var conversation: ConversationKey? {
        get throws {
            let number = view.conversation
            return number == 0 ? nil : try failure.noting { try symbols.conversation(number) }
        }
    }

    /// Who did it; nil if the event names nobody.
    public var actor: UserID? {
        get throws {
            let number = view.actor
            return number == 0 ? nil : try failure.noting { try symbols.user(number) }
        }
    }

    /// The server's id of the message that the event is, or is about; nil if it names none.
    public var serverID: ServerMessageID? {
        view.serverID.isEmpty ? nil : ServerMessageID(view.serverID.string)
    }

    /// The type of the message's content; nil if the event has none.
    public var contentType: ContentType? {
        get throws {
            let number = view.contentType
            return number == 0 ? nil : try failure.noting { try symbols.contentType(number) }
        }
    }

    /// Whether the event is a message that this account sent.
    public var isOutgoing: Bool { view.flags.contains(.isOutgoing) }

    /// Whether the event is a message that mentions this account.
    public var mentionsAccount: Bool { view.flags.contains(.mentionsAccount) }

    /// The event's payload without its content, as if redacted; nil if the event is of another type, or of a newer
    /// version of it.
    ///
    /// - Throws: `StoreError` where a field cannot be read, or what the payload's initialiser throws.
    public func payload<Payload: EventPayload>(_ type: Payload.Type) throws -> Payload? {
        try failure.noting(.ofEvent) { try FieldRow.payload(type, of: view, symbols) }
    }

    /// The value of a field.
    ///
    /// - Throws: `StoreError` where the event has no such field of this type.
    public subscript<Root, Value: FieldValue>(_ field: FieldOf<Root, Value>) -> Value {
        get throws { try self[field.field] }
    }

    /// The value of a field that is stored in the envelope.
    ///
    /// - Throws: `StoreError` where the event has no such field of this type.
    public subscript<Root, Value: FieldValue>(_ field: EnvelopeFieldOf<Root, Value>) -> Value {
        get throws { try self[field.field] }
    }

    /// The value of a field.
    ///
    /// - Throws: `StoreError` where the event has no such field of this type.
    public subscript<Value: FieldValue>(_ field: Field<Value>) -> Value {
        get throws { try failure.noting(.ofEvent) { try FieldRow.value(of: field, in: view, symbols) } }
    }

    /// The value of a field that is stored in the envelope.
    ///
    /// - Throws: `StoreError` where the event has no such field of this type.
    public subscript<Value: FieldValue>(_ field: EnvelopeField<Value>) -> Value {
        get throws { try failure.noting(.ofEvent) { try FieldRow.value(of: field, in: view, symbols) } }
    }
}

/// A failure of the store itself while a host's projection was at work: it ends the fold, whatever the host does with
/// it.
final class StorageFailure {
    enum Source {
        /// The rows and records that the projection reads.
        case views
        /// The event, whose checksum was verified: an unreadable field of it does not fit the declaration.
        case ofEvent
    }

    private(set) var error: (any Error)?

    func noting<Value>(_ source: Source = .views, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            if self.error == nil, Self.isStorage(error, source) { self.error = error }
            throw error
        }
    }

    /// Whether an error is the store's; every other is the projection's own.
    private static func isStorage(_ error: any Error, _ source: Source) -> Bool {
        if error is LMDBError || error is FileError { return true }
        switch (error as? StoreError)?.code {
        case .viewsDamaged, .logDamaged, .inputOutput, .diskFull, .permissionDenied, .addressSpaceFull: return true
        case .recordDamaged, .logForged: return source == .views
        default: return false
        }
    }
}
