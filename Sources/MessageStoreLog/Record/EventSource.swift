/// The event of a record, or the record of a message, whose event is made when it is first asked for.
package enum EventSource: Sendable {
    case decoded(DecodedEvent)
    case undecoded(UndecodedMessage)

    package init(_ event: Event) { self = .decoded(DecodedEvent(event)) }

    package var event: Event {
        switch self {
        case .decoded(let decoded): decoded.event
        case .undecoded(let message): message.decoded.event
        }
    }

    /// The event's type.
    package var type: EventType {
        switch self {
        case .decoded(let decoded): decoded.event.type
        case .undecoded: .messageReceived
        }
    }

    /// The name of the type; the number in hexadecimal where it has none.
    package var typeName: String {
        switch self {
        case .decoded(let decoded): decoded.event.payload.typeName
        case .undecoded: EventType.messageReceived.description
        }
    }

    /// The event's conversation.
    package var conversation: ConversationKey? {
        switch self {
        case .decoded(let decoded): decoded.event.conversation
        case .undecoded(let message): message.kept.conversation?.value
        }
    }

    /// The reading of a slow clock that the record keeps; nil if the clock was not slow.
    package var clock: (time: Timestamp?, corrected: Timestamp?) {
        switch self {
        case .decoded(let decoded):
            decoded.event.correctedTime.map { (decoded.event.clockTime, $0) } ?? (nil, nil)
        case .undecoded(let message): message.read { $0.clock }
        }
    }

    /// How the store learned of it.
    package var origin: Origin {
        switch self {
        case .decoded(let decoded): decoded.event.origin
        case .undecoded(let message): message.read { $0.origin }
        }
    }
}

/// An event that several may have.
package final class DecodedEvent: Sendable {
    let event: Event

    init(_ event: Event) { self.event = event }
}

/// A received message with nothing but strings in its record and in its envelope: it is read without the log, and no
/// reading of it can fail.
package final class UndecodedMessage: Sendable {
    nonisolated(unsafe) private let bytes: UnsafeRawBufferPointer
    private let numbers: RecordNumbers
    fileprivate let kept: KeptNames
    package var names: RecordNames { RecordNames(kept) }
    private let made = SetOnce<DecodedEvent>()

    /// - Parameter record: One that ``canHold(_:_:)``.
    init(_ record: RecordView, _ numbers: RecordNumbers, _ names: consuming KeptNames) {
        bytes = record.bytes.withUnsafeBytes { record in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: record.count, alignment: 8)
            copy.copyMemory(from: record)
            return UnsafeRawBufferPointer(copy)
        }
        self.numbers = numbers
        kept = names
    }

    deinit { bytes.deallocate() }

    /// Whether a record is such a message.
    static func canHold(_ record: RecordView, _ numbers: RecordNumbers) -> Bool {
        record.type == .messageReceived && record.schemaVersion <= MessageReceived.declared.version
            && record.actor != 0 && record.contentType != 0 && numbers.fields.isSubset(of: CommonField.strings)
    }

    /// The event, which is made once.
    fileprivate var decoded: DecodedEvent {
        made.value { DecodedEvent(read { Event(message: $0, numbers, kept) }) }
    }

    /// Calls `body` with the record.
    package func read<Result>(_ body: (RecordView) -> Result) -> Result {
        body(RecordView(wellFormed: RawSpan(_unsafeBytes: bytes)))
    }
}

/// The names of the numbers in a record's envelope.
package struct RecordNames: Sendable {
    package let conversation: ConversationKey?
    package let actor: UserID?
    package let contentType: ContentType?

    init(_ record: RecordView, _ symbols: SymbolReader) throws {
        conversation = record.conversation == 0 ? nil : try symbols.conversation(record.conversation)
        actor = record.actor == 0 ? nil : try symbols.user(record.actor)
        contentType = record.contentType == 0 ? nil : try symbols.contentType(record.contentType)
    }

    init(_ kept: KeptNames) {
        (conversation, actor) = (kept.conversation?.value, kept.actor?.value)
        contentType = kept.contentType?.value
    }
}

/// The same, held once for all records of a pass that name it.
struct KeptNames: Sendable {
    let conversation: KeptSymbol<ConversationKey>?
    let actor: KeptSymbol<UserID>?
    let contentType: KeptSymbol<ContentType>?

    /// For one record alone.
    init(_ record: RecordView, _ table: SymbolTable) throws {
        let (conversation, actor, type) = (record.conversation, record.actor, record.contentType)
        self.conversation = conversation == 0 ? nil : KeptSymbol(conversation, try table.conversation(conversation))
        self.actor = actor == 0 ? nil : KeptSymbol(actor, try table.user(actor))
        contentType = type == 0 ? nil : KeptSymbol(type, try table.contentType(type))
    }

    init(_ record: RecordView, _ table: borrowing SymbolTable, _ kept: borrowing KeptSymbols) throws {
        conversation = record.conversation == 0 ? nil : try kept.conversation(record.conversation, table)
        actor = record.actor == 0 ? nil : try kept.user(record.actor, table)
        contentType = record.contentType == 0 ? nil : try kept.contentType(record.contentType, table)
    }
}
