@_spi(Storage) internal import MessageStoreLog

/// Words that come after the recall, deletion or erasure of their message, if the store erases hidden ones.
///
/// Words that the same batch hides are erased right after it, by the event that hides them
/// (``Views/wordPositions(erasedBy:)``); the views here precede the batch.
extension Admitter {
    /// Removes the content of the appended event where its message is hidden or has lost its own, and lets the answer of
    /// a server that hides an own message erase it.
    @inline(__always)
    mutating func dropLateWords() throws {
        if erasesHidden { try dropWords() }
    }

    private mutating func dropWords() throws {
        guard let type = writer.appended?.type else { return }
        switch type {
        case .messageReceived, .messageInsertedLocally:
            guard let hasContents = try lateArrival() else { return }
            writer.redact()
            // Nobody knew where its edits belong.
            if hasContents { writer.eraseHidden() }
        case .messageSent, .messageDuplicateSuppressed: if try isHiddenAnswer() { writer.eraseHidden() }
        default:
            guard type.has(.holdsWords) else { return }
            if try isAboutGone() { writer.redact() } else { try eraseAtClearedPlace() }
        }
    }

    /// Lets the appended snapshot of a message erase that, if the time in it is one below what was cleared.
    mutating func eraseAtClearedPlace() throws {
        guard erasesHidden, writer.appended?.type == .messageSnapshotReceived, try givesClearedPlace() else { return }
        writer.eraseHidden()
    }

    /// Whether the appended message came after its recall or deletion, or below what was cleared; nil for one that is
    /// shown. Events with contents that were recorded of a cleared one before are still to be erased.
    private borrowing func lateArrival() throws -> Bool? {
        guard let record = writer.appended else { return nil }
        return try views.ask { views throws in
            let parked = try views.parkedState(of: record)
            if parked?.isHidden == true { return false }
            return try views.isCleared(record, MessageState()) ? parked?.hasContents ?? false : nil
        }
    }

    /// Whether the appended answer of a server gives an own message an id or a place that was recalled, deleted or cleared.
    private borrowing func isHiddenAnswer() throws -> Bool {
        guard let record = writer.appended else { return false }
        let isHidden = try views.ask { try $0.isHidden(record.serverID, in: record.conversationNumber) }
        return try isHidden || givesClearedPlace()
    }

    /// Whether the appended event reports a time by which an own message may be below what was cleared: the erasure looks
    /// whether it is.
    private borrowing func givesClearedPlace() throws -> Bool {
        guard let record = writer.appended, let floor = try views.ask({ try $0.floor(of: record.conversationNumber) })
        else { return false }
        var time = record.serverTime
        switch record.type {
        case .messageSnapshotReceived: time = record[MessageSnapshotReceived.Fields.sentTime]
        case .messageSent where time ?? .unknown == .unknown:
            // As the fold finds the place: by what came under the id before, or by the device's time.
            time = try reportedTime(of: record.serverID, in: record.conversationNumber)
            if time == nil, let local = record.renamedMessage { time = try now(of: Position(local.rawValue)) }
        default: break
        }
        guard let time, time != .unknown else { return false }
        return OrderKey { OrderKey.append(time: time, id: record.serverID, to: &$0) } <= floor
    }

    /// The time that an echo or a snapshot before the appended event reports for a server id; nil if there is none.
    private borrowing func reportedTime(
        of id: RawSpan, in conversation: ConversationNumber
    ) throws -> Timestamp? {
        for index in 0..<writer.batch.count {
            guard let record = writer.batch[index], record.conversationNumber == conversation else { continue }
            switch record.type {
            case .messageReceived where record.serverID.isEqual(to: id): return record.serverTime
            case .messageSnapshotReceived where record.names(id):
                if let time = record[MessageSnapshotReceived.Fields.sentTime] { return time }
            default: break
            }
        }
        return try views.ask { views throws in
            if let parked = try views.parkedState(of: id, in: conversation) {
                return parked.serverTime == 0 ? nil : Timestamp(milliseconds: parked.serverTime)
            }
            guard let local = try views.local(of: id, in: conversation),
                let record = try views.log.record(at: Position(local.rawValue)), record.type.isMessage
            else { return nil }
            return try (views.row(Messages.states, local) ?? MessageState()).serverTime(of: record)
        }
    }

    /// When a message was recorded, as folds see it.
    private borrowing func now(of position: Position) throws -> Timestamp? {
        guard position < writer.batch.firstPosition else { return writer.batch[position]?.now }
        return try views.ask { try $0.log.record(at: position)?.now }
    }

    /// Whether the message that the appended event names is gone.
    private borrowing func isAboutGone() throws -> Bool {
        guard let record = writer.appended else { return false }
        // Words that a filter puts in the place of erased ones are the host's, and a file is this device's.
        let isOthers = record.type == .messageModified || record.type == .messageSnapshotReceived
        var isGone = false
        try record.forEachReference { reference throws in
            if !isGone { isGone = try isThisGone(reference, in: record.conversationNumber, evenIfShown: isOthers) }
        }
        return isGone
    }

    private borrowing func isThisGone(
        _ reference: ReferenceView, in conversation: ConversationNumber, evenIfShown: Bool
    ) throws -> Bool {
        var position: Position?
        switch reference {
        case .local(let local): position = Position(local.rawValue)
        case .server(let id):
            let identity = Identity(.serverID, scope: conversation.rawValue, bytes: id)
            let key = identity.key
            position = try batchMessage(claiming: identity, key) ?? recorded(identity, key)
            guard position != nil else {
                return try views.ask { try $0.isHidden(id, in: conversation) || $0.log.isCut(key) }
            }
        }
        guard let position else { return false }
        guard position < writer.batch.firstPosition else {
            return writer.batch[position]?.flags.contains(.isRedacted) ?? false
        }
        return try views.ask {
            try $0.isGone(LocalMessageID(position.rawValue), in: conversation, evenIfShown: evenIfShown)
        }
    }
}

extension ViewSnapshot {
    /// Whether a message, one that has arrived or not, was recalled or deleted under a server id.
    @inline(never)
    fileprivate borrowing func isHidden(_ serverID: RawSpan, in conversation: ConversationNumber) throws -> Bool {
        if let parked = try parkedState(of: serverID, in: conversation) { return parked.isHidden }
        guard let local = try local(of: serverID, in: conversation) else { return false }
        return try row(Messages.states, local)?.isHidden ?? false
    }

    /// Not inlined, like the next: the compiler's optimiser fails on a record that is held there.
    @inline(never)
    fileprivate borrowing func parkedState(of record: RecordView) throws -> MessageState? {
        try parkedState(of: record.serverID, in: record.conversationNumber)
    }

    @inline(never)
    fileprivate borrowing func parkedState(
        of serverID: RawSpan, in conversation: ConversationNumber
    ) throws -> MessageState? {
        guard hasParked, serverID.byteCount > 0 else { return nil }
        return try row(Messages.parked, ServerIDKey(conversation: conversation, serverID: serverID.copied))
    }

    /// Whether a message is hidden or cut off, or has lost its words.
    ///
    /// - Parameter evenIfShown: Whether one that is shown without its words is gone as well.
    @inline(never)
    fileprivate borrowing func isGone(
        _ named: LocalMessageID, in conversation: ConversationNumber, evenIfShown: Bool
    ) throws -> Bool {
        if try log.gap(at: Position(named.rawValue)) != nil { return true }
        // An echo whose place a queued message took is that message.
        let local = try successor(of: named, in: conversation)
        guard let record = try log.record(at: Position(local.rawValue)), record.type.isMessage,
            record.conversationNumber == conversation
        else { return false }
        return try evenIfShown && record.flags.contains(.isRedacted) || isGone(local)
    }
}

extension RecordView {
    /// Whether the event names a message by a server id.
    fileprivate func names(_ id: RawSpan) -> Bool {
        var isNamed = false
        forEachReference { reference in
            if case .server(let other) = reference { isNamed = isNamed || other.isEqual(to: id) }
        }
        return isNamed
    }
}

extension MessageState {
    /// Whether events gave the message contents.
    fileprivate var hasContents: Bool { contentPosition != 0 || verdictPosition != 0 || !attachments.bytes.isEmpty }
}
