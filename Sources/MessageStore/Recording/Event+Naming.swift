internal import MessageStoreLog

extension Event {
    /// The event with other conversations and messages in the place of those that it names.
    ///
    /// - Parameters:
    ///   - key: Called for the event's conversation, and for the teams that it reports.
    ///   - message: Called for messages that it names by their local ids, but for those that wait to be sent.
    func naming(
        _ key: (ConversationKey) -> ConversationKey, _ message: (LocalMessageID) -> LocalMessageID
    ) -> Event {
        func named(_ reference: MessageReference) -> MessageReference {
            guard case .local(let local) = reference else { return reference }
            return .local(message(local))
        }
        var event = self
        event.conversation = conversation.map(key)
        switch payload {
        case var told as any NamesMessage:
            told.message = named(told.message)
            event.payload = told
        case var told as any NamesMessages:
            told.messages = told.messages.map(named)
            event.payload = told
        case var told as any HasReceiptScope:
            if case .messages(let references) = told.scope { told.scope = .messages(references.map(named)) }
            event.payload = told
        case var cleared as HistoryCleared:
            cleared.kept = cleared.kept.map(named)
            event.payload = cleared
        case var verdict as MessageDuplicateSuppressed:
            verdict.duplicateOf = verdict.duplicateOf.map(message)
            event.payload = verdict
        case var fetched as TeamInfoFetched:
            for index in fetched.teams.indices { fetched.teams[index].id = key(fetched.teams[index].id) }
            event.payload = fetched
        case var invalidated as TeamInfoInvalidated:
            invalidated.ids = invalidated.ids?.map(key)
            event.payload = invalidated
        default: break
        }
        return event
    }
}

private protocol NamesMessage: EventPayload { var message: MessageReference { get set } }
extension AttachmentStateChanged: NamesMessage {}
extension MessageFiltered: NamesMessage {}
extension MessageMetadataChanged: NamesMessage {}
extension MessageModified: NamesMessage {}
extension MessagePinned: NamesMessage {}
extension MessageRecalled: NamesMessage {}
extension MessageSnapshotReceived: NamesMessage {}
extension MessageStarred: NamesMessage {}
extension MessageStatusOverridden: NamesMessage {}
extension ReactionAdded: NamesMessage {}
extension ReactionRemoved: NamesMessage {}

private protocol NamesMessages: EventPayload { var messages: [MessageReference] { get set } }
extension MessageStatusFlagsSet: NamesMessages {}
extension MessagesDeleted: NamesMessages {}
extension ReadReceiptRequested: NamesMessages {}

private protocol HasReceiptScope: EventPayload { var scope: ReceiptScope { get set } }
extension MessageDelivered: HasReceiptScope {}
extension MessageReadByPeer: HasReceiptScope {}
extension ReadReceiptSent: HasReceiptScope {}
