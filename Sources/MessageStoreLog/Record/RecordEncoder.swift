/// Writes an event as a record at the end of a ``ByteWriter``.
///
/// What folds need stands in the envelope and the fields; words of people stand in the content, which redaction
/// can remove (I11).
struct RecordEncoder<Symbols: SymbolAssigner> {
    let account: UserID
    var symbols: Symbols

    /// Where and when the record stands in the log.
    struct Place {
        let position: Position
        let commitIndex: UInt32
        let recordedTime: Timestamp
    }

    /// What the envelope takes from the event's body.
    private struct Envelope {
        var actor: UserID?
        var contentType: ContentType?
        var serverID: ServerMessageID?
        var clientToken: ClientToken?
        var serverTime: Timestamp?
        var flags: RecordFlags = []
        var schemaVersion: UInt8 = 1
    }

    /// Writes the record without its checksum; ``seal(from:in:)`` adds that once it is certain to be kept.
    ///
    /// The event must have passed ``Event/validate()``.
    mutating func encode(_ event: Event, at place: Place, into writer: inout ByteWriter) throws {
        let start = writer.count
        var envelope = envelope(of: event)
        if event.id != nil { envelope.flags.insert(.hasEventID) }
        if envelope.serverTime != nil { envelope.flags.insert(.hasServerTime) }
        writer.appendZeros(RecordLayout.headerSize)
        if let id = envelope.serverID { writer.append(id.rawValue) }
        let tokenStart = writer.count
        if let token = envelope.clientToken { writer.append(token.rawValue) }
        let fieldsStart = writer.count
        encodeCommonFields(of: event, into: &writer)
        try encodeFields(of: event.body, into: &writer)
        let contentStart = writer.count
        encodeContent(of: event.body, into: &writer)
        guard writer.count - fieldsStart <= EventLimits.eventBytes else {
            throw StoreError(
                .invalidArgument,
                "\(event.body.type) carries \(writer.count - fieldsStart) bytes; at most \(EventLimits.eventBytes)")
        }

        writer.set(place.position.rawValue, at: start + RecordLayout.position)
        writer.set(event.body.type.rawValue, at: start + RecordLayout.type)
        writer.set(envelope.schemaVersion, at: start + RecordLayout.schemaVersion)
        writer.set(event.origin.rawValue, at: start + RecordLayout.origin)
        writer.set(envelope.flags.rawValue, at: start + RecordLayout.flags)
        writer.set(
            UInt8(clamping: tokenStart - start - RecordLayout.headerSize), at: start + RecordLayout.serverIDLength)
        writer.set(UInt8(clamping: fieldsStart - tokenStart), at: start + RecordLayout.clientTokenLength)
        writer.set(place.recordedTime.milliseconds, at: start + RecordLayout.recordedTime)
        writer.set(envelope.serverTime?.milliseconds ?? 0, at: start + RecordLayout.serverTime)
        if let key = event.conversation {
            writer.set(try symbols.number(of: key), at: start + RecordLayout.conversation)
        }
        if let actor = envelope.actor {
            writer.set(try symbols.number(of: actor), at: start + RecordLayout.actor)
        }
        if let type = envelope.contentType {
            writer.set(try symbols.number(of: type), at: start + RecordLayout.contentType)
        }
        writer.set(place.commitIndex, at: start + RecordLayout.commitIndex)
        writer.set(UInt32(clamping: contentStart - fieldsStart), at: start + RecordLayout.fieldsLength)
        writer.set(UInt32(clamping: writer.count - contentStart), at: start + RecordLayout.contentLength)
    }

    /// Writes event id and device; the fields of an unknown event may hold them already, in its writer's order.
    private func encodeCommonFields(of event: Event, into writer: inout ByteWriter) {
        guard case .unknown(let body) = event.body else {
            writer.field(CommonField.eventID, event.id?.rawValue)
            writer.field(CommonField.device, event.device?.rawValue)
            return
        }
        if !body.holdsField(CommonField.eventID) { writer.field(CommonField.eventID, event.id?.rawValue) }
        if !body.holdsField(CommonField.device) { writer.field(CommonField.device, event.device?.rawValue) }
        writer.append(body.fields)
    }

    /// Puts the checksum over the record that begins at `start` and ends where the writer stands.
    static func seal(from start: Int, in writer: inout ByteWriter) {
        let checksum = RecordView.checksum(of: writer.bytes.extracting(start..<writer.count))
        writer.set(checksum, at: start + RecordLayout.checksum)
    }

    private func envelope(of event: Event) -> Envelope {
        var envelope = Envelope(serverTime: event.serverTime)
        switch event.body {
        case .messageReceived(let body):
            envelope.actor = body.sender
            envelope.contentType = body.content.type
            envelope.serverID = body.serverID
            envelope.clientToken = body.clientToken
            envelope.serverTime = body.sentTime
            envelope.flags = flags(body.policy, body.context, needsReceipt: body.needsReceipt)
            if body.sender == account { envelope.flags.insert(.isOutgoing) }
            if let conversation = event.conversation, body.isDirected(past: account, in: conversation) {
                envelope.flags.insert(.isDirectedAtOthers)
            }
        case .messageSendQueued(let body):
            envelope.actor = account
            envelope.contentType = body.content.type
            envelope.clientToken = body.clientToken
            envelope.flags = flags(body.policy, body.context, needsReceipt: body.needsReceipt)
            envelope.flags.insert(.isOutgoing)
        case .messageSent(let body):
            envelope.serverID = body.serverID
            envelope.serverTime = body.sentTime
        case .messageInsertedLocally(let body):
            envelope.actor = body.sender ?? account
            envelope.contentType = body.content.type
            envelope.serverTime = body.time
            if body.updatesLastMessage { envelope.flags.insert(.updatesLastMessage) }
            if body.sender ?? account == account { envelope.flags.insert(.isOutgoing) }
        case .messageFiltered(let body):
            if case .replace(let content) = body.verdict { envelope.contentType = content.type }
        case .messageDuplicateSuppressed(let body): envelope.serverID = body.serverID
        case .messageModified(let body):
            envelope.contentType = body.content.type
            envelope.serverTime = body.time
        case .messageRecalled(let body): envelope.actor = body.actor
        case .messageDelivered(let body):
            envelope.actor = body.member
            envelope.serverTime = body.time
        case .messageReadByPeer(let body):
            envelope.actor = body.reader
            envelope.serverTime = body.time
        default: describe(event.body, in: &envelope)
        }
        return envelope
    }

    private func describe(_ body: EventBody, in envelope: inout Envelope) {
        switch body {
        case .messageExpansionChanged(let body): envelope.serverTime = body.time
        case .reactionAdded(let body): (envelope.actor, envelope.serverTime) = (body.user, body.time)
        case .reactionRemoved(let body): (envelope.actor, envelope.serverTime) = (body.user, body.time)
        case .unreadCountReported(let body): envelope.serverTime = body.time
        case .chatRoomJoined(let body): envelope.serverTime = body.time
        case .chatRoomLeft(let body): envelope.serverTime = body.time
        case .conversationCreated(let body): envelope.actor = body.fields.creator
        case .conversationUpdated(let body): envelope.actor = body.actor
        case .membersAdded(let body): envelope.actor = body.actor
        case .membersRemoved(let body): envelope.actor = body.actor
        case .selfInvited(let body): envelope.actor = body.actor
        case .selfKicked(let body): envelope.actor = body.actor
        case .unknown(let body): envelope.schemaVersion = body.schemaVersion
        default: break
        }
    }

    private func flags(_ policy: MessagePolicy, _ context: MessageContext, needsReceipt: Bool) -> RecordFlags {
        var flags: RecordFlags = []
        if policy.countsUnread { flags.insert(.countsUnread) }
        if policy.updatesLastMessage { flags.insert(.updatesLastMessage) }
        if needsReceipt { flags.insert(.needsReceipt) }
        if context.mentionsEveryone || context.mentions.contains(account) { flags.insert(.mentionsAccount) }
        return flags
    }
}
