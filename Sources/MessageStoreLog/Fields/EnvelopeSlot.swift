/// A part of a record's envelope that holds a value of the payload.
///
/// Envelopes have one place each for who acted and for the server's time, which are read without decoding the fields.
public protocol EnvelopeSlot: Sendable {
    /// The type of the value.
    associatedtype Value: FieldValue
    /// Which part of the envelope it is.
    static var _place: EnvelopePlace { get }
    /// Puts the value into an envelope.
    func _write(_ value: Value, to envelope: inout RecordEnvelope)
    /// Takes the value from a record.
    func _read(_ record: RecordFieldReader) throws -> Value
    /// Takes the value from the envelope of a host's event.
    func _read(_ envelope: RecordEnvelope) throws -> Value
}

extension EnvelopeSlot {
    /// Hosts' events have the slots that are public.
    public func _read(_ envelope: RecordEnvelope) throws -> Value { throw FieldError.unreadable }
}

/// The parts of an envelope that payloads use.
public enum EnvelopePlace: String, Sendable, Hashable, Codable {
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
public struct RecordEnvelope: Sendable {
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
    @_spi(Storage) public var flags: RecordFlags = []

    init(account: UserID) {
        self.account = account
    }

    /// Starts over for another event.
    mutating func begin(_ event: Event) {
        conversationKind = event.conversation?.kind
        serverTime = event.serverTime
        (actor, contentType, serverID, clientToken, flags) = (nil, nil, nil, nil, [])
    }

    mutating func set(_ flag: RecordFlags, _ isSet: Bool) {
        if isSet { flags.insert(flag) } else { flags.remove(flag) }
    }
}

/// Who acted: a user who is always named.
public struct ActorSlot: EnvelopeSlot {
    /// The part of the envelope.
    public static var _place: EnvelopePlace { .actor }
    /// Puts the actor into an envelope.
    public func _write(_ value: UserID, to envelope: inout RecordEnvelope) { envelope.actor = value }
    /// Takes the actor from a record.
    public func _read(_ record: RecordFieldReader) throws -> UserID {
        guard let actor = try record.actor else { throw FieldError.unreadable }
        return actor
    }
    /// Takes the actor from the envelope of a host's event.
    public func _read(_ envelope: RecordEnvelope) throws -> UserID {
        guard let actor = envelope.actor else { throw FieldError.unreadable }
        return actor
    }
}

/// Who acted, if somebody is named.
public struct OptionalActorSlot: EnvelopeSlot {
    /// The part of the envelope.
    public static var _place: EnvelopePlace { .actor }
    /// Puts the actor into an envelope.
    public func _write(_ value: UserID?, to envelope: inout RecordEnvelope) { envelope.actor = value }
    /// Reads the actor from a record; nil for what this account did itself.
    public func _read(_ record: RecordFieldReader) throws -> UserID? {
        record.flags.contains(.isOutgoing) ? nil : try record.actor
    }
    /// Takes the actor from the envelope of a host's event.
    public func _read(_ envelope: RecordEnvelope) throws -> UserID? { envelope.actor }
}

/// When it happened, by the server's clock.
public struct ServerTimeSlot: EnvelopeSlot {
    /// The part of the envelope.
    public static var _place: EnvelopePlace { .serverTime }
    /// Puts the time into an envelope.
    public func _write(_ value: Timestamp, to envelope: inout RecordEnvelope) { envelope.serverTime = value }
    /// Takes the time from a record.
    public func _read(_ record: RecordFieldReader) throws -> Timestamp { record.serverTime ?? .unknown }
    /// Takes the time from the envelope of a host's event.
    public func _read(_ envelope: RecordEnvelope) throws -> Timestamp { envelope.serverTime ?? .unknown }
}

/// When it happened, by the server's clock, if the server reported it.
public struct OptionalServerTimeSlot: EnvelopeSlot {
    /// The part of the envelope.
    public static var _place: EnvelopePlace { .serverTime }
    /// Puts the time into an envelope; nil leaves the time of the event.
    public func _write(_ value: Timestamp?, to envelope: inout RecordEnvelope) {
        if let value { envelope.serverTime = value }
    }
    /// Takes the time from a record.
    public func _read(_ record: RecordFieldReader) throws -> Timestamp? { record.serverTime }
    /// Takes the time from the envelope of a host's event.
    public func _read(_ envelope: RecordEnvelope) throws -> Timestamp? { envelope.serverTime }
}

extension EnvelopeSlot where Self == ActorSlot {
    /// Who acted.
    public static var actor: ActorSlot { ActorSlot() }
}

extension EnvelopeSlot where Self == OptionalActorSlot {
    /// Who acted, if somebody is named.
    public static var optionalActor: OptionalActorSlot { OptionalActorSlot() }
}

extension EnvelopeSlot where Self == OptionalServerTimeSlot {
    /// When it happened, by the server's clock, if the server reported it.
    public static var optionalServerTime: OptionalServerTimeSlot { OptionalServerTimeSlot() }
}

extension EnvelopeSlot where Self == ServerTimeSlot {
    /// When it happened, by the server's clock.
    public static var serverTime: ServerTimeSlot { ServerTimeSlot() }
}

package struct ServerIDSlot: EnvelopeSlot {
    package static var _place: EnvelopePlace { .serverID }
    package func _write(_ value: ServerMessageID, to envelope: inout RecordEnvelope) { envelope.serverID = value }
    package func _read(_ record: RecordFieldReader) throws -> ServerMessageID { record.serverID }
}

package struct ClientTokenSlot: EnvelopeSlot {
    package static var _place: EnvelopePlace { .clientToken }
    package func _write(_ value: ClientToken?, to envelope: inout RecordEnvelope) { envelope.clientToken = value }
    package func _read(_ record: RecordFieldReader) throws -> ClientToken? { record.clientToken }
}

package struct ContentTypeSlot: EnvelopeSlot {
    package static var _place: EnvelopePlace { .contentType }
    package func _write(_ value: ContentType, to envelope: inout RecordEnvelope) { envelope.contentType = value }
    package func _read(_ record: RecordFieldReader) throws -> ContentType {
        guard let type = try record.contentType else { throw FieldError.unreadable }
        return type
    }
}

package struct OptionalContentTypeSlot: EnvelopeSlot {
    package static var _place: EnvelopePlace { .contentType }
    package func _write(_ value: ContentType?, to envelope: inout RecordEnvelope) { envelope.contentType = value }
    package func _read(_ record: RecordFieldReader) throws -> ContentType? { try record.contentType }
}

package struct FlagSlot: EnvelopeSlot {
    package static var _place: EnvelopePlace { .flag }
    let flag: RecordFlags
    package func _write(_ value: Bool, to envelope: inout RecordEnvelope) { envelope.set(flag, value) }
    package func _read(_ record: RecordFieldReader) throws -> Bool { record.flags.contains(flag) }
}

extension EnvelopeSlot where Self == ServerIDSlot {
    package static var serverID: ServerIDSlot { ServerIDSlot() }
}

extension EnvelopeSlot where Self == ClientTokenSlot {
    package static var clientToken: ClientTokenSlot { ClientTokenSlot() }
}

extension EnvelopeSlot where Self == ContentTypeSlot {
    package static var contentType: ContentTypeSlot { ContentTypeSlot() }
}

extension EnvelopeSlot where Self == OptionalContentTypeSlot {
    package static var optionalContentType: OptionalContentTypeSlot { OptionalContentTypeSlot() }
}

extension EnvelopeSlot where Self == FlagSlot {
    package static func flag(_ flag: RecordFlags) -> FlagSlot { FlagSlot(flag: flag) }
}
