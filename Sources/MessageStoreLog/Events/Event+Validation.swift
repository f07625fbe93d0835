extension Event {
    /// Checks every documented rule; what it lets through can be encoded.
    package func validate(_ types: EventTypes = .builtIn) throws {
        try validateEnvelope(types, Swift.type(of: payload))
        try payload.validateFields()
        try payload.validate()
    }

    /// Checks what events of all types have in common.
    ///
    /// - Parameter payloadType: The payload's type.
    func validateEnvelope(_ types: EventTypes, _ payloadType: any EventPayload.Type) throws {
        let declared = types.scope(of: type)
        guard declared?.payload == ObjectIdentifier(payloadType) || payloadType == UnknownEvent.self else {
            throw invalid("is of a type that is not registered: name it in the configuration's events")
        }
        switch (declared?.scope ?? .any, conversation) {
        case (.conversation, nil), (.chatRoom, nil): throw invalid("needs a conversation")
        case (.account, .some): throw invalid("belongs to the account, not to a conversation")
        case (.chatRoom, .some(let key)) where key.kind != .chatRoom:
            throw invalid("is about a conversation that is no chat room")
        case (.conversation, .some(let key)) where key.kind == .chatRoom && tellsKind:
            throw invalid("tells the kind of a chat room, which is what its key says")
        default: break
        }
        if awaitsServer, let problem = problemOfWaiting { throw invalid(problem) }
        if let problem = conversation?._problem(.any) { throw invalid("names a conversation that \(problem)") }
        if let problem = id?._problem(.any) { throw invalid("has an event id that \(problem)") }
        if let problem = device?._problem(.any) { throw invalid("has a device id that \(problem)") }
        if let problem = serverTime?._problem(.any) { throw invalid("has a server time that \(problem)") }
    }

    private var problemOfWaiting: String? {
        if origin != .local || type == .pendingChangeUpdated || type == .messageSnapshotReceived {
            return "waits for the server and was not made on this device"
        }
        return type.isMessage ? "waits for the server; messages to send wait in the outbox" : nil
    }

    /// Checks that fields of a newer version can be read to their end and are not fields of this one.
    func validateUnknownFields(_ types: EventTypes) throws {
        guard let known = types[type]?.numbers, !(payload is UnknownEvent) else {
            throw invalid("has its unknown fields among its own")
        }
        for (bytes, numbers) in [(unknownFields.fields, known.fields), (unknownFields.content, known.content)] {
            let reader = FieldReader(bytes.span.bytes)
            guard !reader.isBroken, reader.bytes(except: numbers) == bytes else {
                throw invalid("has unknown fields that are known or cannot be read")
            }
        }
    }

    /// Whether it sets the kind of its conversation.
    private var tellsKind: Bool {
        switch payload {
        case let created as ConversationCreated: created.fields.kind != nil
        case let updated as ConversationUpdated: updated.fields.kind != nil
        case let snapshot as ConversationSnapshotReceived: snapshot.fields.kind != nil
        default: false
        }
    }

    private func invalid(_ problem: String) -> StoreError { payload.invalid(problem) }
}

extension EventPayload {
    /// Checks each field by its own rules.
    func validateFields() throws {
        var validator = FieldValidator(payload: Self.self)
        try encode(to: &validator)
    }
}
