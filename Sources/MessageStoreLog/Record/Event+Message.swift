extension Event {
    private static let knownContent = EventCatalog[.messageReceived]?.numbers.content ?? .none

    /// The event of an ``UndecodedMessage``, of which no field can fail: in one pass over its content, where asking for
    /// each field goes over it as often as there are fields.
    init(message record: RecordView, _ numbers: RecordNumbers, _ names: KeptNames) {
        var (text, pushText, senderName, avatarURL): (String?, String?, String?, String?)
        var (data, attributes): ([UInt8]?, [UInt8]?)
        var content = FieldReader(record.content)
        while let field = content.next() {
            switch field.id {
            // The first of a number counts.
            case MessageContent.Fields.text.number: text = text ?? field.string
            case MessageContent.Fields.data.number: data = data ?? field.bytes.copied
            case MessageContent.Fields.attributes.number: attributes = attributes ?? field.bytes.copied
            case MessageContext.Fields.pushText.number: pushText = pushText ?? field.string
            case SenderProfile.nameField.number: senderName = senderName ?? field.string
            case SenderProfile.avatarURLField.number: avatarURL = avatarURL ?? field.string
            default: break
            }
        }
        let (clientToken, flags) = (record.clientToken, record.flags)
        let message = MessageReceived(
            serverID: ServerMessageID(record.serverID.string), sender: names.actor?.value ?? UserID(""),
            sentTime: record.serverTime ?? .unknown,
            content: MessageContent(
                type: names.contentType?.value ?? ContentType(""), text: text, data: data ?? [],
                attributes: attributes ?? []),
            clientToken: clientToken.byteCount > 0 ? ClientToken(clientToken.string) : nil,
            policy: MessagePolicy(
                countsUnread: flags.contains(.countsUnread), updatesLastMessage: flags.contains(.updatesLastMessage)),
            context: MessageContext(pushText: pushText), needsReceipt: flags.contains(.needsReceipt),
            senderProfile: SenderProfile(name: senderName, avatarURL: avatarURL).unlessEmpty)
        var unknown = UnknownFields()
        if !numbers.content.isSubset(of: Self.knownContent) {
            unknown.content = FieldReader(record.content).bytes(except: Self.knownContent)
        }
        self.init(
            message, .messageReceived, in: names.conversation?.value,
            id: flags.contains(.hasEventID) ? record[CommonField.eventID].map(EventID.init) : nil,
            origin: record.origin, serverTime: record.serverTime,
            device: numbers.fields.contains(CommonField.device.number)
                ? record[CommonField.device].map(DeviceID.init) : nil,
            clock: record.slowClock, awaitsServer: flags.contains(.awaitsServer), unknownFields: unknown)
    }
}
