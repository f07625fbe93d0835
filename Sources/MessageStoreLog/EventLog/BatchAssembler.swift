/// Encodes the events of a batch and leaves out the ones that are known.
struct BatchAssembler: ~Copyable {
    private(set) var batch: EncodedBatch
    private(set) var encoder: RecordEncoder
    private(set) var positions: [Position] = []
    private(set) var duplicates = 0
    /// The identities of this batch's records, and the server ids that it gives to queued messages: key → index in
    /// the batch.
    private var own: [IdentityKey: Int] = [:]
    /// The same identities, for whoever keeps a filter of them.
    private var claimed: [IdentityKey] = []
    /// The queued messages that this batch acknowledges.
    private var acknowledged: Set<Position> = []
    /// The identities of the record being added.
    private var keys: [IdentityKey] = []
    private var repeats: Set<Position> = []
    /// The messages of each content and stretch of time that repeat none, where repeats are looked for.
    private var messagesByContent: [UInt64: [Int]] = [:]

    init(batch: consuming EncodedBatch, encoder: RecordEncoder, count: Int) {
        self.batch = batch
        self.encoder = encoder
        own.reserveCapacity(count)
        positions.reserveCapacity(count)
    }

    consuming func finish() -> PreparedAppend {
        PreparedAppend(
            positions: positions, duplicates: duplicates, batch: batch, identities: claimed, repeats: repeats,
            symbols: encoder.newSymbols)
    }

    /// Adds an event unless it is known; answers whether it was new.
    ///
    /// A verdict stands before its message, so that one that is hidden never moves its conversation (d13).
    mutating func add(
        _ event: Event, filtered: MessageFiltered?, known: (Identity, IdentityKey) throws -> KnownEvent?,
        _ isMessage: (LocalMessageID, UInt32) throws -> Bool,
        _ isUnacknowledged: (LocalMessageID, UInt32) throws -> Bool
    ) throws -> Bool {
        let start = batch.writer.count
        let symbolCount = encoder.newSymbols.count
        try encode(event)
        guard let (original, kind) = try findOriginal(from: start, known: known, isUnacknowledged) else {
            if event.type == .messageSent { try acknowledge(from: start, isUnacknowledged) }
            if event.type == .messageDuplicateSuppressed, let verdict = event.payload as? MessageDuplicateSuppressed,
                let original = verdict.duplicateOf
            {
                guard try claimAlias(of: original, from: start, known: known, isMessage) else {
                    throw StoreError(.notFound, "the original is no message of the conversation: \(original)")
                }
            }
            if let filtered {
                let claims = keys
                keys = []
                batch.writer.truncate(to: start)
                try encode(Event(filtered, in: event.conversation, origin: event.origin))
                keep(from: start)
                keys = claims
                let own = batch.writer.count
                try encode(event)
                keep(from: own)
            } else {
                keep(from: start)
            }
            positions.append(batch.lastPosition)
            return true
        }
        batch.writer.truncate(to: start)
        encoder.rollBackSymbols(to: symbolCount)
        keys.removeAll(keepingCapacity: true)
        duplicates += 1
        positions.append(original.position)
        guard kind == .clientToken, let message = event.payload as? MessageReceived else { return false }
        let local = LocalMessageID(original.position.rawValue)
        if original.isUnacknowledged {
            // The server's echo of a message whose acknowledgement got lost is that acknowledgement.
            let sent = MessageSent(message: local, serverID: message.serverID, sentTime: message.sentTime)
            try encode(Event(sent, in: event.conversation, origin: event.origin, device: event.device))
            try acknowledge(from: start, isUnacknowledged)
        } else {
            // A resend got another id of the server: it names the same message from now on (d12).
            let alias = MessageDuplicateSuppressed(
                serverID: message.serverID, duplicateOf: local, rule: .clientToken)
            try encode(Event(alias, in: event.conversation, origin: event.origin))
            guard try claimAlias(of: local, from: start, known: known, isMessage) else {
                batch.writer.truncate(to: start)
                encoder.rollBackSymbols(to: symbolCount)
                return false
            }
        }
        keep(from: start)
        return false
    }

    /// Appends that a new message repeats another, if it does.
    mutating func noteRepeat(
        _ event: Event, _ repeatWindow: (ConversationKind) -> Int64?,
        _ repeated: (RecordView, Int64) throws -> LocalMessageID?
    ) throws {
        guard let conversation = event.conversation, let window = repeatWindow(conversation.kind),
            let message = event.payload as? MessageReceived,
            let original = try findRepeated(within: window, repeated)
        else { return }
        repeats.insert(batch.lastPosition)
        let verdict = MessageDuplicateSuppressed(serverID: message.serverID, duplicateOf: original, rule: .content)
        let start = batch.writer.count
        try encode(Event(verdict, in: conversation, origin: event.origin))
        keep(from: start)
    }

    /// The message that the batch's last record repeats, in this batch or before it.
    private mutating func findRepeated(
        within window: Int64, _ repeated: (RecordView, Int64) throws -> LocalMessageID?
    ) throws -> LocalMessageID? {
        var messages = messagesByContent
        messagesByContent = [:]
        defer { messagesByContent = messages }
        let index = batch.count - 1
        guard let record = batch[index], !record.flags.contains(.isOutgoing) else { return nil }
        // Messages that repeat none lie further apart than the window: few share a stretch of that length.
        let key = record.repeatKey
        let stretch = UInt64(clamping: (record.serverTime?.milliseconds ?? 0) / max(window, 1))
        for near in (stretch == 0 ? 0 : stretch - 1)...stretch + 1 {
            for earlier in messages[key &+ near] ?? [] {
                if let first = batch[earlier], record.repeats(first, within: window) {
                    return LocalMessageID(first.position.rawValue)
                }
            }
        }
        if let stored = try repeated(record, window) { return stored }
        messages[key &+ stretch, default: []].append(index)
        return nil
    }

    /// Notes that the server id of the record at `start` names another message, unless it names one of its own.
    ///
    /// - Returns: Whether the conversation has that other message.
    private mutating func claimAlias(
        of original: LocalMessageID, from start: Int, known: (Identity, IdentityKey) throws -> KnownEvent?,
        _ isMessage: (LocalMessageID, UInt32) throws -> Bool
    ) throws -> Bool {
        var alias: IdentityKey?
        if let record = RecordView(batch.writer.bytes.extracting(start..<batch.writer.count)) {
            guard try isKnownMessage(original, in: record.conversation, isMessage) else { return false }
            let identity = Identity(.serverID, scope: record.conversation, bytes: record.serverID)
            let key = identity.key
            if own[key] == nil, try known(identity, key) == nil { alias = key }
        }
        if let alias { keys.append(alias) }
        return true
    }

    private func isKnownMessage(
        _ local: LocalMessageID, in conversation: UInt32, _ isMessage: (LocalMessageID, UInt32) throws -> Bool
    ) throws -> Bool {
        guard local.rawValue >= batch.firstPosition.rawValue else { return try isMessage(local, conversation) }
        guard local.rawValue < batch.nextPosition.rawValue,
            let record = batch[Int(local.rawValue - batch.firstPosition.rawValue)]
        else { return false }
        return record.type.isMessage && record.conversation == conversation
    }

    /// Notes which message an acknowledgement is about: what follows in the batch knows that message by its server id.
    private mutating func acknowledge(
        from start: Int, _ isUnacknowledged: (LocalMessageID, UInt32) throws -> Bool
    ) throws {
        guard let (local, key) = try acknowledgement(from: start, isUnacknowledged) else { return }
        acknowledged.insert(local)
        keys.append(key)
    }

    /// The waiting message that the record at `start` acknowledges, and its server id.
    private func acknowledgement(
        from start: Int, _ isUnacknowledged: (LocalMessageID, UInt32) throws -> Bool
    ) throws -> (local: Position, key: IdentityKey)? {
        guard let record = RecordView(batch.writer.bytes.extracting(start..<batch.writer.count)),
            record.type == .messageSent,
            case let local = Position(record[MessageSent.Fields.message].rawValue),
            try isWaiting(local, in: record.conversation, isUnacknowledged)
        else { return nil }
        return (local, Identity(.serverID, scope: record.conversation, bytes: record.serverID).key)
    }

    /// Whether a queued message, of this batch or an earlier one, waits for its server.
    private func isWaiting(
        _ local: Position, in conversation: UInt32, _ isUnacknowledged: (LocalMessageID, UInt32) throws -> Bool
    ) throws -> Bool {
        guard !acknowledged.contains(local), local < batch.nextPosition else { return false }
        guard local >= batch.firstPosition else {
            return try isUnacknowledged(LocalMessageID(local.rawValue), conversation)
        }
        guard let queued = batch[Int(local.rawValue - batch.firstPosition.rawValue)] else { return false }
        return queued.type == .messageSendQueued && queued.conversation == conversation
    }

    private mutating func encode(_ event: Event) throws {
        try encoder.encode(
            event,
            at: .init(
                position: batch.nextPosition, commitIndex: UInt32(batch.count), recordedTime: batch.recordedTime),
            into: &batch.writer)
    }

    private mutating func keep(from start: Int) {
        batch.keep(from: start)
        for key in keys { own[key] = batch.count - 1 }
        claimed.append(contentsOf: keys)
    }

    /// Looks for an earlier record of the same identity, in this batch and in the log.
    private mutating func findOriginal(
        from start: Int, known: (Identity, IdentityKey) throws -> KnownEvent?,
        _ isUnacknowledged: (LocalMessageID, UInt32) throws -> Bool
    ) throws -> (KnownEvent, Identity.Kind)? {
        // The array is taken out and put back, so that its room is used again.
        var keys = self.keys
        self.keys = []
        defer { self.keys = keys }
        keys.removeAll(keepingCapacity: true)
        guard let record = RecordView(batch.writer.bytes.extracting(start..<batch.writer.count)) else { return nil }
        var original: (KnownEvent, Identity.Kind)?
        try record.forEachIdentity { identity in
            let key = identity.key
            keys.append(key)
            guard original == nil else { return }
            if let index = own[key], let position = batch[index]?.message(claiming: identity) {
                let isWaiting =
                    try identity.kind == .clientToken
                    && isWaiting(position, in: record.conversation, isUnacknowledged)
                original = (KnownEvent(position: position, isUnacknowledged: isWaiting), identity.kind)
            } else if let found = try known(identity, key) {
                let isWaiting =
                    try found.isUnacknowledged
                    && isWaiting(found.position, in: record.conversation, isUnacknowledged)
                original = (KnownEvent(position: found.position, isUnacknowledged: isWaiting), identity.kind)
            }
        }
        return original
    }
}

extension RecordView {
    /// The position that `identity` names by this record: its own, or that of the message it acknowledges or repeats.
    fileprivate func message(claiming identity: Identity) -> Position? {
        if claims(identity) { return position }
        guard identity.kind == .serverID, identity.scope == conversation, identity.bytes.isEqual(to: serverID) else {
            return nil
        }
        return renamedMessage.map { Position($0.rawValue) }
    }
}
