/// A part of a record's envelope that holds a value of the payload.
///
/// Envelopes have one place each for who acted and for the server's time, which are read without decoding the fields.
public struct EnvelopePart<Value: FieldValue>: Sendable {
    let slot: any EnvelopeSlot<Value>
}

extension EnvelopePart<UserID> {
    /// Who acted.
    public static var actor: EnvelopePart { EnvelopePart(slot: ActorSlot()) }
}

extension EnvelopePart<UserID?> {
    /// Who acted, if somebody is named.
    public static var optionalActor: EnvelopePart { EnvelopePart(slot: OptionalActorSlot()) }
}

extension EnvelopePart<Timestamp> {
    /// When it happened, by the server's clock.
    public static var serverTime: EnvelopePart { EnvelopePart(slot: ServerTimeSlot()) }
}

extension EnvelopePart<Timestamp?> {
    /// When it happened, by the server's clock, if the server reported it.
    public static var optionalServerTime: EnvelopePart { EnvelopePart(slot: OptionalServerTimeSlot()) }
}

extension EnvelopePart<ServerMessageID> {
    package static var serverID: EnvelopePart { EnvelopePart(slot: ServerIDSlot()) }
}

/// How a part of the envelope is read and written.
@_spi(Storage) public protocol EnvelopeSlot<Value>: Sendable {
    associatedtype Value: FieldValue
    static var place: EnvelopePlace { get }
    func write(_ value: Value, to envelope: inout RecordEnvelope)
    func read(_ record: RecordFieldReader) throws -> Value
    /// Takes the value from the envelope of a host's event.
    func read(_ envelope: RecordEnvelope) throws -> Value
}

extension EnvelopeSlot {
    /// Hosts' events have the slots of ``EnvelopePart``.
    @_spi(Storage) public func read(_ envelope: RecordEnvelope) throws -> Value { throw FieldError.unreadable }

    func encode(_ value: Value, _ name: StaticString, to fields: inout some FieldEncoder) throws {
        try fields.encode(value, for: SlotField(self, name))
    }

    func decode(_ name: StaticString, from fields: inout some FieldDecoder) throws -> Value {
        try fields.decode(SlotField(self, name))
    }
}

/// An ``EnvelopeField`` of a slot that is known when the code is compiled.
@_spi(Storage) public struct SlotField<Slot: EnvelopeSlot>: Sendable {
    package let slot: Slot
    package let name: StaticString

    package init(_ slot: Slot, _ name: StaticString) {
        self.slot = slot
        self.name = name
    }
}

/// The parts of an envelope that payloads use.
@_spi(Storage) public enum EnvelopePlace: String, Sendable, Hashable, Codable {
    /// Who acted.
    case actor
    /// The type of the content.
    case contentType = "content type"
    /// The server's id of a message.
    case serverID = "server id"
    /// The sender's token of a message.
    case clientToken = "client token"
    /// The server's time.
    case serverTime = "server time"
    /// A flag.
    case flag
}

/// The values that the envelope of a record takes from the event and its payload.
@_spi(Storage) public struct RecordEnvelope: Sendable {
    /// The store's account.
    package let account: UserID
    /// The kind of the conversation; nil for events of the account.
    package private(set) var conversationKind: ConversationKind?
    package var actor: UserID?
    package var contentType: ContentType?
    package var serverID: ServerMessageID?
    package var clientToken: ClientToken?
    package var serverTime: Timestamp?
    /// The flags that follow from the fields.
    package var flags: RecordFlags = []

    init(account: UserID) {
        self.account = account
    }

    /// Starts over for another event.
    mutating func begin(_ event: Event) {
        conversationKind = event.conversation?.kind
        serverTime = event.serverTime
        flags = []
        // A plain message leaves none of them, and to look costs less than to release nothing.
        if actor != nil { actor = nil }
        if contentType != nil { contentType = nil }
        if serverID != nil { serverID = nil }
        if clientToken != nil { clientToken = nil }
    }

    mutating func set(_ flag: RecordFlags, _ isSet: Bool) {
        if isSet { flags.insert(flag) } else { flags.remove(flag) }
    }
}

/// Who acted: a user who is always named.
package struct ActorSlot: EnvelopeSlot {
    package static var place: EnvelopePlace { .actor }
    package func write(_ value: UserID, to envelope: inout RecordEnvelope) { envelope.actor = value }
    package func read(_ record: RecordFieldReader) throws -> UserID {
        guard let actor = try record.actor else { throw FieldError.unreadable }
        return actor
    }
    package func read(_ envelope: RecordEnvelope) throws -> UserID {
        guard let actor = envelope.actor else { throw FieldError.unreadable }
        return actor
    }
}

/// Who acted, if somebody is named.
package struct OptionalActorSlot: EnvelopeSlot {
    package static var place: EnvelopePlace { .actor }
    package func write(_ value: UserID?, to envelope: inout RecordEnvelope) { envelope.actor = value }
    package func read(_ record: RecordFieldReader) throws -> UserID? {
        record.flags.contains(.isOutgoing) ? nil : try record.actor
    }
    package func read(_ envelope: RecordEnvelope) throws -> UserID? { envelope.actor }
}

/// When it happened, by the server's clock.
package struct ServerTimeSlot: EnvelopeSlot {
    package static var place: EnvelopePlace { .serverTime }
    package func write(_ value: Timestamp, to envelope: inout RecordEnvelope) { envelope.serverTime = value }
    package func read(_ record: RecordFieldReader) throws -> Timestamp { record.serverTime ?? .unknown }
    package func read(_ envelope: RecordEnvelope) throws -> Timestamp { envelope.serverTime ?? .unknown }
}

/// When it happened, by the server's clock, if the server reported it.
package struct OptionalServerTimeSlot: EnvelopeSlot {
    package static var place: EnvelopePlace { .serverTime }
    package func write(_ value: Timestamp?, to envelope: inout RecordEnvelope) {
        if let value { envelope.serverTime = value }
    }
    package func read(_ record: RecordFieldReader) throws -> Timestamp? { record.serverTime }
    package func read(_ envelope: RecordEnvelope) throws -> Timestamp? { envelope.serverTime }
}

package struct ServerIDSlot: EnvelopeSlot {
    package static var place: EnvelopePlace { .serverID }
    package func write(_ value: ServerMessageID, to envelope: inout RecordEnvelope) { envelope.serverID = value }
    package func read(_ record: RecordFieldReader) throws -> ServerMessageID { record.serverID }
}

package struct ClientTokenSlot: EnvelopeSlot {
    package static var place: EnvelopePlace { .clientToken }
    package func write(_ value: ClientToken?, to envelope: inout RecordEnvelope) { envelope.clientToken = value }
    package func read(_ record: RecordFieldReader) throws -> ClientToken? { record.clientToken }
}

package struct ContentTypeSlot: EnvelopeSlot {
    package static var place: EnvelopePlace { .contentType }
    package func write(_ value: ContentType, to envelope: inout RecordEnvelope) { envelope.contentType = value }
    package func read(_ record: RecordFieldReader) throws -> ContentType {
        guard let type = try record.contentType else { throw FieldError.unreadable }
        return type
    }
}

package struct OptionalContentTypeSlot: EnvelopeSlot {
    package static var place: EnvelopePlace { .contentType }
    package func write(_ value: ContentType?, to envelope: inout RecordEnvelope) { envelope.contentType = value }
    package func read(_ record: RecordFieldReader) throws -> ContentType? { try record.contentType }
}

package struct FlagSlot: EnvelopeSlot {
    package static var place: EnvelopePlace { .flag }
    let flag: RecordFlags
    package func write(_ value: Bool, to envelope: inout RecordEnvelope) { envelope.set(flag, value) }
    package func read(_ record: RecordFieldReader) throws -> Bool { record.flags.contains(flag) }
}
