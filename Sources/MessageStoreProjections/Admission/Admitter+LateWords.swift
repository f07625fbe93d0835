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
            if try isAboutGone() { writer.redact() } else { try eraseAtReportedPlace() }
        }
    }

    /// Lets the appended snapshot erase its message, where it reports the time that an own message lacks, and a place below
    /// what was cleared with it.
    mutating func eraseAtReportedPlace() throws {
        if erasesHidden, try reportsClearedPlace() { writer.eraseHidden() }
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
        guard let record = writer.appended, let local = record.renamedMessage else { return false }
        let conversation = record.conversationNumber
        if try views.ask({ try $0.isHidden(record.serverID, in: conversation) }) { return true }
        guard record.type == .messageSent, let floor = try views.ask({ try $0.floor(of: conversation) }),
            let time = try sentTime(by: record, Position(local.rawValue))
        else { return false }
        return OrderKey { OrderKey.append(time: time, id: record.serverID, to: &$0) } <= floor
    }

    /// The time of an own message by the answer of a server, as the fold finds it: in the answer, of an echo, of the last
    /// snapshot that came under the id before, or of this device.
    private borrowing func sentTime(by answer: RecordView, _ message: Position) throws -> Timestamp? {
        if let time = answer.serverTime, time != .unknown { return time }
        if let echo = acknowledged[message]?.echo, let time = writer.batch[echo]?.serverTime, time != .unknown {
            return time
        }
        let (id, conversation) = (answer.serverID, answer.conversationNumber)
        let identity = Identity(.serverID, scope: conversation.rawValue, bytes: id)
        if let echo = try recorded(identity, identity.key), echo != message,
            let time = try views.ask({ try $0.sentTime(ofMessageAt: echo) })
        {
            return time
        }
        if let time = snapshotTime(of: id, in: conversation) { return time }
        if let parked = try views.ask({ try $0.parkedState(of: id, in: conversation) }), parked.serverTime != 0 {
            return Timestamp(milliseconds: parked.serverTime)
        }
        return try now(of: message)
    }

    /// The time in the last snapshot of the batch that names a server id; nil if there is none.
    private borrowing func snapshotTime(of id: RawSpan, in conversation: ConversationNumber) -> Timestamp? {
        guard reported.hasTimes else { return nil }
        for index in (0..<writer.batch.count).reversed() {
            guard let record = writer.batch[index], record.type == .messageSnapshotReceived,
                record.conversationNumber == conversation, record.names(id),
                let time = record[MessageSnapshotReceived.Fields.sentTime], time != .unknown
            else { continue }
            return time
        }
        return nil
    }

    /// Whether the appended snapshot reports the time that an own message lacks, and a place below what was cleared with
    /// it.
    private borrowing func reportsClearedPlace() throws -> Bool {
        guard let record = writer.appended, record.type == .messageSnapshotReceived,
            let time = record[MessageSnapshotReceived.Fields.sentTime], time != .unknown
        else { return false }
        let conversation = record.conversationNumber
        // Of messages of that time the erasure looks which are below.
        guard let floor = try views.ask({ try $0.floor(of: conversation) }),
            OrderKey({ OrderKey.append(time: time, id: RawSpan(), to: &$0) }) <= floor
        else { return false }
        var lacksTime = false
        try record.forEachReference { reference throws in
            guard let position = try position(of: reference, in: conversation) else { return }
            lacksTime = try lacksTime || self.lacksTime(position, in: conversation)
        }
        return lacksTime
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
        guard let position = try position(of: reference, in: conversation) else {
            guard case .server(let id) = reference else { return false }
            let key = Identity(.serverID, scope: conversation.rawValue, bytes: id).key
            return try views.ask { try $0.isHidden(id, in: conversation) || $0.log.isCut(key) }
        }
        guard position < writer.batch.firstPosition else {
            return writer.batch[position]?.flags.contains(.isRedacted) ?? false
        }
        return try views.ask {
            try $0.isGone(LocalMessageID(position.rawValue), in: conversation, evenIfShown: evenIfShown)
        }
    }
}

extension Admitter {
    /// The message that a reference names, of the batch or an earlier one; nil if there is none of its server id.
    private borrowing func position(
        of reference: ReferenceView, in conversation: ConversationNumber
    ) throws -> Position? {
        switch reference {
        case .local(let local): return Position(local.rawValue)
        case .server(let id):
            let identity = Identity(.serverID, scope: conversation.rawValue, bytes: id)
            let key = identity.key
            return try batchMessage(claiming: identity, key) ?? recorded(identity, key)
        }
    }
}

extension ViewSnapshot {
    /// The server's time of a message; nil if it has none, or there is no message.
    @inline(never)
    fileprivate borrowing func sentTime(ofMessageAt position: Position) throws -> Timestamp? {
        guard let record = try log.record(at: position), record.type.isMessage else { return nil }
        let state = try row(Messages.states, LocalMessageID(position.rawValue)) ?? MessageState()
        return state.serverTime(of: record).flatMap { $0 == .unknown ? nil : $0 }
    }

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
