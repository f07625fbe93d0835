extension RecordView {
    /// The message that goes by the record's server id from now on: one that was acknowledged or repeated by it.
    package var renamedMessage: LocalMessageID? {
        switch type {
        case .messageSent: self[MessageSent.Fields.message]
        case .messageDuplicateSuppressed: self[MessageDuplicateSuppressed.Fields.duplicateOf]
        default: nil
        }
    }
}
