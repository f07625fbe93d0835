package import MessageStore

/// A store in plain dictionaries, as simple and as slow as can be, to check a real one against.
///
/// It is written from the documented rules and shares no code with the projections: counts, orders and digests are
/// computed for each query.
package struct StoreModel: Sendable {
    /// The account whose store it is.
    package let account: UserID
    /// Whether messages of the past count as unread where no read marker is known.
    package let countsHistory: Bool
    /// Whether an own message of another device reads its conversation.
    package internal(set) var ownMessagesMarkRead: Bool
    /// What is known of the numbers of packages.
    package internal(set) var packageNumbers: MessageStore.PackageNumbering
    /// Every event that the log holds, the first one at position 1.
    package internal(set) var log: [Event] = []
    /// When each event of the log was recorded.
    package var recordedTimes: [Timestamp] { moments.map(\.recorded) }
    var moments: [Moment] = []
    /// The newest time of a server, but for those of more than a day after their recording; known while the clock is
    /// slow.
    var newestServerTime = Timestamp.unknown
    /// What the clock says while events are recorded, where it is slow.
    var slowClock: Timestamp?
    /// The clock of questions; nil for the recorded time of the last event.
    package var now: Timestamp?

    var messages: [UInt64: MessageEntry] = [:]
    /// Facts about messages that nobody has seen yet.
    var parked: [ServerKey: Facts] = [:]
    var conversations: [ConversationKey: ConversationEntry] = [:]
    var profiles: [UserID: ProfileEntry] = [:]
    var teams: [ConversationKey: Cached<TeamInfo>] = [:]
    var contacts: [UserID: ContactInfo] = [:]
    var blocks: [UserID: BlockEntry] = [:]
    var folders: [String: ConversationFolderChanged] = [:]
    var folderChoices = Choices()
    var sync = Sync()
    /// The numbers of the packages of the current sync.
    var packageIndices: [UInt32] = []
    /// The same with their messages, where numbers leave none out; nil until they matter.
    var packages: Packages?
    var cursors: [String: [UInt8]] = [:]
    var session: SessionStateChanged?
    /// Where the current session began, where a sync last began and completed; 0 for nowhere.
    var connectedAt: UInt64 = 0
    var startedAt: UInt64 = 0
    var completedAt: UInt64 = 0
    /// Where the last session ended.
    var endedAt: UInt64 = 0
    /// Whether anything was recorded since the store was opened.
    var hasRecorded = false
    /// On which way the messages of the call came, and those of the log that did not come by themselves.
    private var carrier = Carrier.direct
    private(set) var carriers: [UInt64: Carrier] = [:]

    /// What was told beside messages, in the order of the log.
    var details: [NameKey: [DetailFact]] = [:]
    var pending: [PendingEntry] = []
    var marks: [MarkKey: MarkChoice] = [:]
    var files: [FileKey: FileEntry] = [:]
    /// How far threads were read, by their roots.
    var threadMarkers: [ServerKey: Order?] = [:]
    /// The last event that read a whole thread in which replies were of the future.
    var threadAheadRead: [ServerKey: UInt64] = [:]

    /// What the current call found when it began.
    var call = Call()
    /// The messages that were of the past when they were recorded.
    var pastPositions: Set<UInt64> = []
    /// The same for a log that was recorded before.
    var decided: Set<UInt64>?
    /// Whether what is recalled, deleted or cleared is erased at once.
    package var erasesHidden = false
    /// Events of which nothing is left of what they said.
    package internal(set) var redacted: Set<UInt64> = []
    /// Events that the log does not have any more, and the last one for which some were cut off.
    package private(set) var cut: Set<UInt64> = []
    package private(set) var base = Position.origin
    var erased = ErasedNames()

    var serverIDs: [ServerKey: UInt64] = [:]
    /// The server's ids of messages that the log does not have any more.
    var cutServerIDs: [ServerKey: UInt64] = [:]
    private var tokens: [TokenKey: UInt64] = [:]
    private var eventIDs: [EventID: UInt64] = [:]

    struct ServerKey: Hashable, Sendable {
        let conversation: ConversationKey
        let id: ServerMessageID
    }

    struct Call: Sendable {
        var start = 0
        var openReports: Set<ConversationKey> = []
        /// The oldest unread message of each conversation of which no read marker is known, else the newest message of others.
        var pastUpTo: [ConversationKey: Order] = [:]
    }

    private struct TokenKey: Hashable, Sendable {
        let sender: UserID
        let token: ClientToken
    }

    /// Creates the model of an empty store.
    package init(
        account: UserID, countsHistory: Bool = false, ownMessagesMarkRead: Bool = false,
        packageNumbers: MessageStore.PackageNumbering = .any
    ) {
        self.account = account
        self.countsHistory = countsHistory
        self.ownMessagesMarkRead = ownMessagesMarkRead
        self.packageNumbers = packageNumbers
    }

    /// Creates the model of a store whose log begins with the first `count` events of another.
    package init(_ other: StoreModel, upTo count: Int) {
        self.init(account: other.account, countsHistory: other.countsHistory)
        decided = other.pastPositions
        carriers = other.carriers
        redacted = other.redacted
        (cut, base, erased) = (other.cut, other.base, other.erased)
        for (key, local) in other.cutServerIDs {
            cutServerIDs[ServerKey(conversation: named(key.conversation), id: key.id)] = local
        }
        erasesHidden = other.erasesHidden
        for index in 0..<min(max(count, 0), other.log.count) {
            append(other.log[index], at: other.moments[index].recorded)
        }
    }

    /// When the last event was recorded.
    var clock: Moment { moments.last ?? Moment(of: Event(RecordLost()), at: .unknown) }

    /// The position of the last event.
    package var lastPosition: Position { Position(UInt64(log.count)) }

    /// Records events and returns the position of each: a new one, or that of the same event recorded before.
    @discardableResult
    package mutating func record(
        _ events: [Event], at now: Timestamp, by carrier: Carrier = .direct
    ) -> [Position] {
        let time = look(at: now)
        defer { slowClock = nil }
        self.carrier = carrier
        beginCall(events)
        let gaps = notePackages(events)
        let last = log.count
        let gone = erasesHidden ? Set(messages.values.filter(isHidden).map(\.local)) : []
        defer { erase(after: last, gone: gone) }
        noteOpening(before: events, at: time)
        return events.enumerated().map { index, event in
            for gap in gaps[index] ?? [] { append(gap, at: time) }
            guard let original = original(of: event) else {
                append(event, at: time)
                let position = lastPosition
                if ownMessagesMarkRead, let message = event.payload as? MessageReceived, message.sender == account,
                    event.origin != .history
                {
                    let marker = ConversationRead(upTo: MessageOrder(time: message.sentTime, id: message.serverID))
                    let read = Event(any: marker, in: event.conversation, origin: event.origin, device: event.device)
                    append(read, at: time)
                }
                return position
            }
            if cut.contains(original) { return base }
            note(original, repeatedBy: event, at: time)
            return Position(original)
        }
    }

    /// Whether the end of a session precedes the first events that are recorded after an opening.
    package func isInterrupted(before events: [Event]) -> Bool {
        !hasRecorded && connectedAt > endedAt && events.first?.beginsSession == false
    }

    /// Records the end of a session before the first events after an opening.
    mutating func noteOpening(before events: [Event], at time: Timestamp) {
        if isInterrupted(before: events) { append(Event(SessionStateChanged(.interrupted)), at: time) }
        if !events.isEmpty { hasRecorded = true }
    }

    /// Whether events of a conversation are not in the log any more.
    package func hasCut(in key: ConversationKey) -> Bool { cut.contains { log[Int($0) - 1].conversation == key } }

    /// Whether a stretch begins among messages that were cleared: the log may not have what ended it.
    package func hasClearedStretch(in key: ConversationKey) -> Bool {
        guard let entry = conversations[key], let floor = entry.floor else { return false }
        return entry.stretches.closed.contains { $0.low <= floor }
    }

    /// Whether a message is not in the log any more.
    package func isCut(_ reference: MessageReference, in key: ConversationKey) -> Bool {
        entry(reference, in: key).map { cut.contains($0.local) } ?? false
    }

    /// Notes that events are not in the log any more: they are known when they come again, and nothing else is known of
    /// them.
    ///
    /// - Parameter isWhole: Whether the model still answers as the whole log does.
    package mutating func cutOff(_ positions: [Position], by base: Position, isWhole: Bool = false) {
        cut.formUnion(positions.map(\.rawValue))
        self.base = base
        guard !isWhole else { return }
        for (key, local) in serverIDs where cut.contains(local) { cutServerIDs[key] = local }
        foldAnew()
    }

    /// The position of another message that has the token of a queued one; nil where there is none, and where nothing is left of
    /// what it said.
    package func reusedToken(of event: Event) -> Position? {
        guard let message = event.payload as? MessageSendQueued, let known = tokenKey(of: event).flatMap({ tokens[$0] })
        else { return nil }
        if cut.contains(known) { return nil }
        let first = log[Int(known) - 1]
        let content = (first.payload as? MessageSendQueued)?.content ?? (first.payload as? MessageReceived)?.content
        guard let content, content != MessageContent(type: content.type) else { return nil }
        return first.conversation == event.conversation && content == message.content ? nil : Position(known)
    }

    /// The conversations that the log has named, in the order in which it did.
    package var knownConversations: [ConversationKey] {
        conversations.values.sorted { $0.number < $1.number }.map(\.key)
    }

    /// The message that `reference` names, or nil; messages that were deleted or cleared are not found.
    package func message(_ reference: MessageReference, in conversation: ConversationKey) -> Message? {
        guard let entry = entry(reference, in: conversation), isVisible(entry) else { return nil }
        return shown(entry)
    }

    /// The message to which its sender's device gave `token`, or nil.
    package func message(token: ClientToken, of sender: UserID) -> Message? {
        guard let local = tokens[TokenKey(sender: sender, token: token)], let entry = messages[local],
            isVisible(entry)
        else { return nil }
        return shown(entry)
    }

    func entry(_ reference: MessageReference, in conversation: ConversationKey) -> MessageEntry? {
        let local: UInt64?
        switch reference {
        case .local(let id): local = id.rawValue
        case .server(let id): local = serverIDs[ServerKey(conversation: conversation, id: id)]
        }
        guard let entry = local.flatMap({ messages[$0] }), entry.conversation == conversation else { return nil }
        return entry
    }

    /// The position of the same event: by server id, else by its sender's token, else by event id.
    private func original(of event: Event) -> UInt64? {
        if let message = event.payload as? MessageReceived, let conversation = event.conversation,
            let known = known(ServerKey(conversation: conversation, id: message.serverID))
        {
            return known
        }
        if let key = tokenKey(of: event), let known = tokens[key] { return known }
        return event.id.flatMap { eventIDs[$0] }
    }

    private func known(_ key: ServerKey) -> UInt64? { serverIDs[key] ?? cutServerIDs[key] }

    private func tokenKey(of event: Event) -> TokenKey? {
        switch event.payload {
        case let message as MessageReceived:
            message.clientToken.map { TokenKey(sender: message.sender, token: $0) }
        case let message as MessageSendQueued:
            message.clientToken.map { TokenKey(sender: account, token: $0) }
        default: nil
        }
    }

    /// The echo of a message whose acknowledgement got lost is that acknowledgement; another id of the server for a message
    /// that it has accepted is one more name of it.
    private mutating func note(_ original: UInt64, repeatedBy event: Event, at time: Timestamp) {
        if let copy = event.payload as? MessageReceived, let key = event.conversation,
            serverIDs[ServerKey(conversation: key, id: copy.serverID)] == original
        {
            return learn(original, from: copy, event, at: time)
        }
        guard let echo = event.payload as? MessageReceived, let key = event.conversation,
            serverIDs[ServerKey(conversation: key, id: echo.serverID)] == nil,
            tokenKey(of: event).flatMap({ tokens[$0] }) == original, let entry = messages[original],
            entry.conversation == key
        else { return }
        let local = LocalMessageID(original)
        let body: any EventPayload =
            entry.isUnacknowledged
            ? MessageSent(
                message: local, serverID: echo.serverID, sentTime: echo.sentTime == .unknown ? nil : echo.sentTime)
            : MessageDuplicateSuppressed(serverID: echo.serverID, duplicateOf: local, rule: .clientToken)
        let device = entry.isUnacknowledged ? event.device : nil
        append(Event(any: body, in: key, origin: event.origin, device: device), at: time)
        if echo.flags != nil || messages[original]?.isForgotten == true {
            learn(original, from: echo, event, at: time, isOwn: false)
        }
    }

    /// Takes over an event that a log has, also one that would be recognised as known if it were recorded now.
    package mutating func append(_ event: Event, at time: Timestamp) {
        var event = event
        noteClock(&event, at: time)
        log.append(event)
        let position = UInt64(log.count)
        if carrier != .direct, event.payload is MessageReceived { carriers[position] = carrier }
        if let key = tokenKey(of: event) { tokens[key] = position }
        if let id = event.id { eventIDs[id] = position }
        guard let key = event.conversation else {
            applyAccountEvent(event.payload)
            return applyPending(event, nil, position)
        }
        name(key)
        // Nothing is known of an event that was cut off but what recognises it.
        guard !cut.contains(position) else { return }
        let counted = conversations[key]?.report.map { _ in counting(in: key) }
        if Self.clearsWholeHistory(event.payload, at: clock.corrected), event.type != .chatRoomLeft {
            clearLines(in: key)
        }
        applyMessageEvent(event, key, position, clock)
        applyConversationStates(event, key)
        applyDetailEvent(event, key, position)
        applyPending(event, key, position)
        applyMark(event, key, clock)
        applyFile(event, key, position)
        if let body = event.payload as? ThreadRead { readThread(body, key) }
        applyConversationEvent(event, key)
        if let counted {
            noteArrivals(counting(in: key).subtracting(counted).compactMap { messages[$0] }, in: key)
        }
        placeNamed(in: key)
        applyTimers(event, key, position)
    }

    /// Gives a conversation its number when the log first names it.
    mutating func name(_ key: ConversationKey) {
        guard conversations[key] == nil else { return }
        conversations[key] = ConversationEntry(key: key, number: conversations.count)
    }

    mutating func change(_ conversation: ConversationKey, _ body: (inout ConversationEntry) -> Void) {
        guard var entry = conversations.removeValue(forKey: conversation) else { return }
        body(&entry)
        conversations[conversation] = entry
    }
}
