extension Event {
    /// Checks every documented rule; what it lets through can be encoded.
    package func validate() throws {
        try validateEnvelope()
        try payload.validateFields()
        try payload.validate()
    }

    /// Checks what events of all types have in common.
    func validateEnvelope() throws {
        switch (EventCatalog.scopes[type]?.scope ?? .any, conversation) {
        case (.conversation, nil), (.chatRoom, nil): throw invalid("needs a conversation")
        case (.account, .some): throw invalid("belongs to the account, not to a conversation")
        case (.chatRoom, .some(let key)) where key.kind != .chatRoom:
            throw invalid("is about a conversation that is no chat room")
        default: break
        }
        if let problem = conversation?._problem(.any) { throw invalid("names a conversation that \(problem)") }
        if let problem = id?._problem(.any) { throw invalid("has an event id that \(problem)") }
        if let problem = device?._problem(.any) { throw invalid("has a device id that \(problem)") }
        if let problem = serverTime?._problem(.any) { throw invalid("has a server time that \(problem)") }
    }

    private func invalid(_ problem: String) -> StoreError { payload.invalid(problem) }
}

extension EventPayload {
    /// Checks each field by its own rules.
    fileprivate func validateFields() throws {
        var validator = FieldValidator(type: _eventType)
        try encode(to: &validator)
    }
}
