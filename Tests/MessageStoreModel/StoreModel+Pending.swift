package import MessageStore

extension StoreModel {
    /// Something done on this device that waits for the server.
    struct PendingEntry: Sendable {
        let position: UInt64
        let event: Event
        /// nil where it is not about one message that is known.
        var message: UInt64?
        var failure: Int32?
    }

    /// - Parameter key: nil for events of the account.
    mutating func applyPending(_ event: Event, _ key: ConversationKey?, _ position: UInt64) {
        switch event.payload {
        case let body as PendingChangeUpdated: update(body)
        case let body as MessageSnapshotReceived:
            if body.content != nil {
                confirm(MessageModified.self, of: body.message, key, upTo: body.modifiedTime)
            }
            if body.isRecalled { confirm(MessageRecalled.self, of: body.message, key) }
        case let body as MessageModified where event.origin != .local:
            confirm(MessageModified.self, of: body.message, key)
        case let body as MessageRecalled where event.origin != .local:
            confirm(MessageRecalled.self, of: body.message, key)
        default:
            let isChange = event.payload is MessageModified || event.payload is MessageRecalled
            let message = changedMessage(of: event.payload).flatMap { known($0, key) }
            let isOfLine = message.map { messages[$0]?.isLocal ?? false } ?? false
            if event.awaitsServer || isChange && message != nil && !isOfLine {
                pending.append(PendingEntry(position: position, event: event, message: message))
            }
        }
        for index in pending.indices {
            let event = pending[index].event
            pending[index].message = changedMessage(of: event.payload).flatMap { known($0, event.conversation) }
        }
        pending.removeAll { change in change.message.map { messages[$0]?.facts.isDeleted ?? true } ?? false }
    }

    private func changedMessage(of payload: any EventPayload) -> MessageReference? {
        switch payload {
        case let body as MessageModified: body.message
        case let body as MessageRecalled: body.message
        case let body as ReactionAdded: body.message
        case let body as ReactionRemoved: body.message
        case let body as MessageMetadataChanged: body.message
        case let body as MessagePinned: body.message
        case let body as MessageStarred: body.message
        case let body as AttachmentStateChanged: body.message
        case let body as MessageStatusOverridden: body.message
        default: nil
        }
    }

    private func known(_ reference: MessageReference, _ key: ConversationKey?) -> UInt64? {
        key.flatMap { entry(reference, in: $0) }.flatMap { cut.contains($0.local) ? nil : shownMessage($0.local) }
    }

    /// The server told of a change: of a modification the oldest ends that waits without the host's mark, unless it was made
    /// later; of a recall all modifications and recalls.
    private mutating func confirm<Change>(
        _ type: Change.Type, of reference: MessageReference, _ key: ConversationKey?, upTo time: Timestamp? = nil
    ) {
        guard let message = known(reference, key) else { return }
        if type == MessageRecalled.self {
            return pending.removeAll {
                $0.message == message && ($0.event.payload is MessageModified || $0.event.payload is MessageRecalled)
            }
        }
        let oldest = pending.firstIndex {
            $0.message == message && $0.event.payload is Change && !$0.event.awaitsServer
        }
        guard let oldest else { return }
        if let time, let waiting = pending[oldest].event.payload as? MessageModified, waiting.time > time { return }
        pending.remove(at: oldest)
    }

    private mutating func update(_ body: PendingChangeUpdated) {
        guard let index = pending.firstIndex(where: { $0.position == body.change.rawValue }) else { return }
        switch body.status {
        case .waiting: pending[index].failure = nil
        case .failed: pending[index].failure = body.code
        case .confirmed, .withdrawn: pending.remove(at: index)
        default: break
        }
    }

    /// The changes that wait for the server.
    package func pendingChanges() -> [PendingChange] {
        pending.map { change in
            PendingChange(
                id: Position(change.position), event: log[Int(change.position) - 1],
                message: change.message.map { LocalMessageID($0) },
                status: change.failure == nil ? .waiting : .failed, failureCode: change.failure,
                isReady: change.message.map { messages[$0]?.serverID != nil } ?? true,
                isRedacted: redacted.contains(change.position))
        }
    }
}
