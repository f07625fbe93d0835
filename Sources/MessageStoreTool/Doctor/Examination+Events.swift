extension Examination {
    /// Looks at one event, in the order of the log.
    mutating func examine(
        _ recorded: RecordedEvent, _ hosts: HostEvents, _ account: UserID, _ piece: inout Piece
    ) {
        let event = recorded.event
        examineTime(event, recorded)
        strays.examine(event, at: recorded.position)
        examineClocks(event, recorded)
        examineNames(event, recorded)
        examinePackages(event, recorded)
        examineIDs(event, recorded, account)
        for place in event.places { piece.markers.append((recorded, place)) }
        switch event.payload {
        case let edit as MessageModified: piece.edits.append((recorded, edit.message, edit.content))
        case let snapshot as MessageSnapshotReceived:
            if let content = snapshot.content { piece.edits.append((recorded, snapshot.message, content)) }
        default: break
        }
        if let note = lateEvents.examine(event, at: recorded.position) { piece.late[recorded.position] = note }
        switch event.payload {
        case let message as MessageReceived:
            turns.examine(message, recorded)
            switch messages.insert(message, in: event.conversation, at: recorded.position) {
            case .inConversation(let first):
                find(.repeats, recorded) { _ in "repeats \(first)" }
            case .inOther(let first): piece.sameIDs.append((recorded, message, first))
            case nil: break
            }
            return
        case let receipt as MessageReadByPeer where receipt.reader == account:
            find(.ownReceipt, recorded) { "read by \($0.label(of: account))" }
        case let receipt as MessageDelivered where receipt.member == account:
            find(.ownReceipt, recorded) { "delivered to \($0.label(of: account))" }
        case is OfflineSyncStarted:
            if let openSync { add(.sync, Finding(at: openSync)) }
            openSync = recorded.position
        case is OfflineSyncCompleted: openSync = nil
        case is RecordLost: add(.lost, Finding(at: recorded.position))
        case is UnknownEvent:
            if hosts.name(of: event.type) == nil {
                find(.unknown, recorded) { _ in event.type.description }
            }
            // What only this library does not know has no effect.
            return
        default: break
        }
        // Messages always have an effect, but for repeats.
        if !MessageNames.messages.contains(event.type) { piece.mayHaveNoEffect.append(recorded.position) }
    }

    private mutating func examineTime(_ event: Event, _ recorded: RecordedEvent) {
        guard let time = event.serverTime, time != .unknown, time != .latest else { return }
        if Self.isInSeconds(time), recorded.clockTime.milliseconds > Self.lastSeconds {
            find(.seconds, recorded) { _ in time.description }
        } else if time.milliseconds - recorded.correctedTime.milliseconds > Timestamp.greatestLead {
            find(.future, recorded) { _ in time.description }
        }
    }
}
