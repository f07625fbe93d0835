/// A place in a batch for the record of a received message that has a content and little else, as most of a sync have.
struct PlainRecord {
    let writer: UnsafeMutablePointer<ByteWriter>
    let place: RecordEncoder.Place
    let origin: Origin
    /// The flags of the way on which the message came.
    let flags: RecordFlags
    let conversation: UInt32
    /// The key of the message's id, once the record is written.
    var serverID: IdentityKey?
}

extension RecordFieldWriter {
    /// Writes the record of a plain message, without its parts in between; to encode its fields gives the same bytes with
    /// a third more instructions.
    ///
    /// - Returns: false, and nothing was written, where the message has more, or breaks a rule.
    package mutating func take(_ message: MessageReceived) throws -> Bool {
        guard let plain, message.context.isPlain, message.context.pushText == nil, message.senderProfile == nil,
            message.flags == nil, message.serverID._problem(.any) == nil, message.sender._problem(.any) == nil,
            message.sentTime.isValid, message.content.type._problem(.any) == nil,
            message.clientToken?._problem(.any) == nil
        else { return false }
        let key = message.serverID.key(in: plain.conversation)
        mayClaim?(key)
        var flags = plain.flags.union(.hasServerTime)
        if message.sender == envelope.account { flags.insert(.isOutgoing) }
        if message.needsReceipt { flags.insert(.needsReceipt) }
        if message.policy.countsUnread { flags.insert(.countsUnread) }
        if message.policy.updatesLastMessage { flags.insert(.updatesLastMessage) }
        let header = RecordHeader(
            type: .messageReceived, version: MessageReceived.declared.version, origin: plain.origin, flags: flags,
            idLength: message.serverID.rawValue.utf8.count, tokenLength: message.clientToken?.rawValue.utf8.count ?? 0,
            serverTime: message.sentTime, conversation: plain.conversation, actor: try fields.symbol(message.sender),
            contentType: try fields.symbol(message.content.type))
        let start = plain.writer.pointee.count
        plain.writer.pointee.append(header.recordSize) { record in
            header.write(to: record, at: plain.place)
            message.serverID.rawValue.copyUTF8(to: record + RecordLayout.headerSize)
            message.clientToken?.rawValue.copyUTF8(to: record + RecordLayout.headerSize + header.idLength)
        }
        let numbers = MessageContent.Fields.self
        plain.writer.pointee.field(numbers.text.number, message.content.text)
        if !message.content.data.isEmpty { plain.writer.pointee.field(numbers.data.number, message.content.data) }
        if !message.content.attributes.isEmpty {
            plain.writer.pointee.field(numbers.attributes.number, message.content.attributes)
        }
        let contentLength = plain.writer.pointee.count - start - header.recordSize
        guard contentLength <= EventLimits.eventBytes else {
            plain.writer.pointee.truncate(to: start)
            return false
        }
        plain.writer.pointee.set(UInt32(contentLength), at: start + RecordLayout.contentLength)
        self.plain?.serverID = key
        return true
    }
}

extension ServerMessageID {
    /// The key under which the id is looked up in a conversation.
    func key(in conversation: UInt32) -> IdentityKey {
        rawValue.withUTF8Bytes { Identity(.serverID, scope: conversation, bytes: RawSpan(_unsafeBytes: $0)).key }
    }
}

extension Event {
    /// Whether it has nothing but payload, conversation, origin and time.
    var isPlain: Bool {
        id == nil && device == nil && clockTime == nil && correctedTime == nil && !awaitsServer && unknownFields.isEmpty
    }
}
