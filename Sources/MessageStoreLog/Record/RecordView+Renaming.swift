extension RecordView {
    /// The queued message of an event about its sending.
    package var queuedMessage: LocalMessageID? {
        switch type {
        case .messageSent: self[MessageSent.Fields.message]
        case .messageSendFailed: self[MessageSendFailed.message]
        case .messageSendRetried: self[MessageSendRetried.message]
        default: nil
        }
    }

    /// The message that goes by the record's server id from now on: one that was acknowledged or repeated by it.
    package var renamedMessage: LocalMessageID? {
        switch type {
        case .messageSent: self[MessageSent.Fields.message]
        case .messageDuplicateSuppressed: self[MessageDuplicateSuppressed.duplicateOf]
        default: nil
        }
    }
}
