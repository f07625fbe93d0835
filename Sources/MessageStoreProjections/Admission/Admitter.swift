@_spi(Storage) internal import MessageStoreLog

extension IdentityKey: SpreadKey {
    @inline(__always) package var spread: UInt64 { high }
    @inline(__always) package func isSame(as other: IdentityKey) -> Bool { high == other.high && low == other.low }
}

/// Creates one batch: the rules by which messages are recognised when they come again.
///
/// Each event is appended to the batch and compared with what the batch and the views hold. Then its record is kept or
/// taken back.
struct Admitter: ~Copyable {
    var writer: BatchWriter
    let views: LateViews
    let identityFilter: IdentityFilter?
    let repeatWindows: RepeatWindows
    /// Decides which messages are of the past; nil if nothing asks.
    private var past: KnownPast?
    private let allowsSeconds: Bool
    private let ownMessagesMarkRead: Bool
    /// Whether content that the events hide is to be erased; to ask the writer for each event would copy it.
    let erasesHidden: Bool
    private var positions: [Position] = []
    /// The indices of the events that were known.
    private var known: [Int] = []
    /// The identities of this batch's records, and the server ids that it gives to queued messages.
    var own: KeyTable<IdentityKey>
    /// By the number of an identity, the index of its record in the batch.
    var ownIndices: [Int] = []
    /// The queued messages that this batch acknowledges.
    var acknowledged: [Position: BatchAcknowledgement] = [:]
    /// The facts that the events of the batch record about messages.
    var reported = ReportedMessages()
    /// The positions at which the batch left chat rooms.
    var left: [ConversationNumber: Position] = [:]
    /// The identities of the record being added: its own, then the ones that it gives to other messages.
    private var keys: [IdentityKey] = []
    private var ownKeyCount = 0
    /// A bit for each of its own identities that the filter does not know: no record claims it, and no row has it.
    private var newKeys = 0
    /// The identities that the records of the batch claim.
    private var claims: [ClaimedIdentity] = []
    var repeats: Set<Position> = []
    private var vainLookUps = 0
    /// Oddities that a host should know.
    private var doubts = AdmissionDoubts()
    /// The messages of each content and stretch of time that repeat none, if repeats are looked for.
    var messagesByContent: [UInt64: [Int]] = [:]

    init(
        _ writer: consuming BatchWriter, _ views: LateViews, _ identityFilter: IdentityFilter?,
        _ repeatWindows: RepeatWindows, _ past: KnownPast?, allowsSeconds: Bool, ownMessagesMarkRead: Bool, count: Int
    ) {
        erasesHidden = writer.erasesHidden
        self.writer = writer
        self.views = views
        self.identityFilter = identityFilter
        self.repeatWindows = repeatWindows
        self.past = past
        self.allowsSeconds = allowsSeconds
        self.ownMessagesMarkRead = ownMessagesMarkRead
        own = KeyTable(count: count)
        ownIndices.reserveCapacity(count)
        positions.reserveCapacity(count)
        claims.reserveCapacity(count)
    }

    /// Adds the events, and after them a closing one.
    consuming func admit(
        _ events: [Event], _ closing: Event?, _ filtered: [Int: MessageFiltered], _ preceding: [Int: [Event]],
        _ index: inout RepeatIndex
    ) throws -> AdmittedBatch {
        // By index, which copies no event, as an iterator does.
        for number in events.indices {
            if !preceding.isEmpty { try add(preceding[number]) }
            if try add(events[number], filtered, &index) { doubts.unmatched.append(number) }
        }
        try add(preceding[events.count])
        if let closing { _ = try add(closing, [:], &index) }
        return AdmittedBatch(
            positions: positions, known: known, prepared: PreparedAppend(writer, claims: claims), identities: own.keys,
            repeats: repeats, doubts: doubts, vainLookUps: vainLookUps)
    }

    /// Adds events of the store's own, which have no identities.
    private mutating func add(_ found: [Event]?) throws {
        for event in found ?? [] {
            try writer.append(event)
            writer.keep()
        }
    }

    /// Adds an event unless it is known, and what is found about it.
    ///
    /// Not inlined, so that the event is lent from its array and not copied, which would retain all that it holds.
    ///
    /// - Returns: Whether it is about messages that the store lacks.
    @inline(never)
    private mutating func add(
        _ event: Event, _ filtered: [Int: MessageFiltered], _ index: inout RepeatIndex
    ) throws -> Bool {
        try noteHistory(event)
        let serverID = try writer.append(event)
        if let original = try findOriginal(serverID) {
            if event.type == .messageSendQueued { try checkToken(of: event, original) }
            try addAgain(event, original)
            return false
        }
        if let time = writer.appended?.timeInSeconds {
            guard allowsSeconds else {
                throw StoreError(
                    .invalidTime,
                    "\(event.payload.typeName) has a server time of \(time) ms, which looks like seconds")
            }
            doubts.timesInSeconds += 1
        }
        let isUnmatched = try event.type != .messageReceived && event.type.has(.needsMessage) && matchesNothing()
        try addNew(event, filtered)
        try noteRepeat(event, &index)
        if ownMessagesMarkRead { try noteAnswer(event) }
        return isUnmatched
    }

    /// Whoever answered on another device has read what is above the answer.
    private mutating func noteAnswer(_ event: Event) throws {
        guard let message = event.payload as? MessageReceived, event.origin != .history, message.sentTime != .unknown,
            writer.batch[writer.batch.count - 1]?.flags.contains(.isOutgoing) == true
        else { return }
        let marker = ConversationRead(upTo: MessageOrder(time: message.sentTime, id: message.serverID))
        try add([Event(any: marker, in: event.conversation, origin: event.origin, device: event.device)])
    }

    /// Decides what the record of a message from history contains.
    private mutating func noteHistory(_ event: Event) throws {
        guard past != nil else { return }
        past?.note(event)
        guard event.isFromHistory, let message = event.payload as? MessageReceived,
            let conversation = event.conversation
        else { return }
        let isPast = try past?.contains(message, in: conversation, views) ?? true
        writer.historyFlags = isPast ? .countsAboveMarker : []
    }

    /// A verdict precedes its message, so that one that is hidden never moves its conversation (d13).
    private mutating func addNew(_ event: Event, _ filtered: [Int: MessageFiltered]) throws {
        if event.type != .messageReceived { try noteEffects(of: event) }
        if !filtered.isEmpty { try insert(filtered[positions.count], before: event) }
        try dropLateWords()
        keep()
        positions.append(writer.batch.lastPosition)
    }

    /// Notes the effects of an event on messages that the batch or the store has.
    private mutating func noteEffects(of event: Event) throws {
        try noteReported(event)
        if event.type == .messageSent { try acknowledge() }
        if event.type == .messageDuplicateSuppressed, let verdict = event.payload as? MessageDuplicateSuppressed,
            let original = verdict.duplicateOf
        {
            guard try claimAlias(of: original) else {
                throw StoreError(.notFound, "the original is no message of the conversation: \(original)")
            }
        }
        noteLeaving()
    }

    private mutating func insert(_ verdict: MessageFiltered?, before event: Event) throws {
        guard let verdict else { return }
        writer.rollBack()
        try writer.append(Event(any: verdict, in: event.conversation, origin: event.origin))
        try dropLateWords()
        writer.keep()
        try writer.append(event)
    }

    /// A known event is not recorded again, but what it says of the message that it names may be new.
    private mutating func addAgain(_ event: Event, _ original: Original) throws {
        let (isOwn, hasNews) = (appendedIsOwn, appendedHasFlags || event.conversation?.kind == .chatRoom)
        let conversation = writer.appended?.conversationNumber ?? .none
        writer.rollBack()
        forgetKeys()
        known.append(positions.count)
        positions.append(original.position)
        // Of an event that was cut off nothing is to be learnt.
        guard !original.isCut else { return }
        guard original.kind == .clientToken || original.kind == .serverID && (isOwn || hasNews),
            let message = event.payload as? MessageReceived
        else { return }
        guard original.kind == .clientToken else {
            return try learn(from: message, isOwn: isOwn, event, original.position, conversation)
        }
        let local = LocalMessageID(original.position.rawValue)
        if original.isWaiting {
            // The server's echo of a message whose acknowledgement got lost is that acknowledgement.
            let time = message.sentTime == .unknown ? nil : message.sentTime
            let sent = MessageSent(message: local, serverID: message.serverID, sentTime: time)
            try writer.append(Event(any: sent, in: event.conversation, origin: event.origin, device: event.device))
            try acknowledge()
        } else {
            // A resend got another id of the server: it names the same message from now on (d12).
            let alias = MessageDuplicateSuppressed(serverID: message.serverID, duplicateOf: local, rule: .clientToken)
            try writer.append(Event(any: alias, in: event.conversation, origin: event.origin))
            guard try claimAlias(of: local) else { return writer.rollBack() }
        }
        try dropLateWords()
        keep()
        if hasNews { try learn(from: message, isOwn: false, event, original.position, conversation) }
    }

    mutating func keep() {
        writer.keep()
        let index = writer.batch.count - 1
        let position = writer.batch.lastPosition
        for place in keys.indices {
            let key = keys[place]
            if place < ownKeyCount {
                claims.append(ClaimedIdentity(key, by: position, isNew: newKeys & 1 << place != 0))
            }
            let (number, isNew) = own.insertIfAbsent(key)
            if isNew { ownIndices.append(index) } else { ownIndices[number] = index }
        }
        // The next record, such as one of a copy's facts, has other identities.
        forgetKeys()
    }

    private mutating func forgetKeys() {
        // There are few, which is faster than `removeAll(keepingCapacity:)`.
        while !keys.isEmpty { keys.removeLast() }
        ownKeyCount = 0
    }
}

// MARK: - Known events

extension Admitter {
    /// The event that an appended one turned out to be.
    private struct Original {
        let position: Position
        /// By what it was recognised.
        let kind: Identity.Kind
        /// Whether it is a queued message that waits for its server.
        let isWaiting: Bool
        /// Whether its record was cut off; its position is then the position of the event that cut it off.
        let isCut: Bool
    }

    /// Looks for an earlier record of the same identity as the appended one, in this batch and in the views.
    ///
    /// - Parameter serverID: The key of its server id, if it is a received message.
    private mutating func findOriginal(_ serverID: IdentityKey?) throws -> Original? {
        // The array is taken out and put back, so that its room is used again.
        var keys = self.keys
        self.keys = []
        defer {
            ownKeyCount = keys.count
            self.keys = keys
        }
        guard let record = writer.appended else { return nil }
        var found: (position: Position, kind: Identity.Kind)?
        var (isCut, newKeys) = (false, 0)
        try record.forEachIdentity { identity in
            let key = if case .serverID = identity.kind { serverID ?? identity.key } else { identity.key }
            keys.append(key)
            guard found == nil else { return }
            // Not by the methods below: the compiler would copy all of this for each of them.
            if let number = own.number(of: key),
                let position = writer.batch[ownIndices[number]]?.message(claiming: identity)
            {
                found = (position, identity.kind)
            } else if !(identityFilter?.mayContain(key) ?? true) {
                if own.number(of: key) == nil { newKeys |= 1 << (keys.count - 1) }
            } else {
                if let position = try views.position(of: identity, key) {
                    found = (position, identity.kind)
                } else if let base = try views.cutPosition(of: key) {
                    (found, isCut) = ((base, identity.kind), true)
                } else {
                    vainLookUps += 1
                }
            }
        }
        self.newKeys = newKeys
        guard let found else { return nil }
        let isWaiting =
            try !isCut && found.kind == .clientToken && isWaiting(found.position, in: record.conversationNumber)
        return Original(position: found.position, kind: found.kind, isWaiting: isWaiting, isCut: isCut)
    }

    /// Throws where the appended message is not the one that had its token first, on this device or on another. Of a
    /// redacted one only the conversation is known.
    private borrowing func checkToken(of event: Event, _ original: Original) throws {
        guard original.kind == .clientToken, !original.isCut, let appended = writer.appended else { return }
        func isSame(_ first: RecordView?) -> Bool {
            guard let first, first.type == .messageSendQueued || first.type == .messageReceived else { return true }
            guard first.conversation == appended.conversation else { return false }
            return first.flags.contains(.isRedacted) || first.saysSame(as: appended)
        }
        let position = original.position
        let isKnown =
            try position >= writer.batch.firstPosition
            ? isSame(writer.batch[position]) : views.ask { isSame(try $0.log.record(at: position)) }
        guard !isKnown else { return }
        throw StoreError(
            .tokenReused,
            "event \(positions.count), a message for \(event.conversation?.description ?? "nobody"), has the client token of message \(position) and differs from it",
            position: position)
    }

    /// The event of this batch that an identity names.
    borrowing func batchMessage(claiming identity: Identity, _ key: IdentityKey) -> Position? {
        own.number(of: key).flatMap { writer.batch[ownIndices[$0]]?.message(claiming: identity) }
    }

    /// The event of earlier commits that an identity names.
    borrowing func recorded(_ identity: Identity, _ key: IdentityKey) throws -> Position? {
        guard identityFilter?.mayContain(key) ?? true else { return nil }
        return try views.position(of: identity, key)
    }

    /// Notes that the server id of the appended record names another message, unless it names one of its own.
    ///
    /// - Returns: Whether the conversation has that other message.
    private mutating func claimAlias(of original: LocalMessageID) throws -> Bool {
        var alias: IdentityKey?
        if let record = writer.appended {
            guard try isMessage(original, in: record.conversationNumber) else { return false }
            let identity = Identity(.serverID, scope: record.conversation, bytes: record.serverID)
            let key = identity.key
            if own.number(of: key) == nil, try recorded(identity, key) == nil { alias = key }
        }
        if let alias { keys.append(alias) }
        return true
    }

    /// Notes which message the appended acknowledgement is about: later events of the batch know that message by its
    /// server id. The id of a second acknowledgement names the message as well.
    private mutating func acknowledge() throws {
        var waiting: (position: Position, key: IdentityKey, BatchAcknowledgement)?
        var named: LocalMessageID?
        if let record = writer.appended, record.type == .messageSent {
            let position = Position(record[MessageSent.Fields.message].rawValue)
            if try isWaiting(position, in: record.conversationNumber) {
                let identity = Identity(.serverID, scope: record.conversation, bytes: record.serverID)
                let key = identity.key
                let echo = try batchMessage(claiming: identity, key) ?? recorded(identity, key)
                let times = [record.serverTime, echo.flatMap { writer.batch[$0]?.serverTime }]
                // The id may be another own message's, which the batch acknowledged before.
                let isTimed = echo.flatMap { acknowledged[$0]?.hasTime } ?? false
                let hasTime = isTimed || times.contains { $0 ?? .unknown != .unknown }
                waiting = (
                    position, key,
                    BatchAcknowledgement(serverID: record.serverID.copied, hasTime: hasTime, echo: echo)
                )
            } else {
                let conversation = record.conversationNumber
                let isQueued = try hasRecord(at: position) {
                    $0.type == .messageSendQueued && $0.conversationNumber == conversation
                }
                if isQueued { named = LocalMessageID(position.rawValue) }
            }
        }
        if let named { _ = try claimAlias(of: named) }
        guard let waiting else { return }
        acknowledged[waiting.position] = waiting.2
        reported.facts[waiting.position, default: .init()].join(ReportedFacts(shownAt: writer.batch.nextPosition))
        keys.append(waiting.key)
    }
}
