@_spi(Storage) internal import MessageStoreLog

/// The projection of the conversation list: the archive last, pinned first, then by latest activity.
struct ConversationList: HandlingProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .conversationList, version: 15, events: handlers.types,
        reads: [.messages, .timeline, .settings],
        tables: conversations, info, order, numbers)
    static var conversations: Table<ConversationNumber, ConversationRow> { Table("conversations", 9, .queried) }
    static var info: Table<ConversationNumber, ConversationInfo> { Table("conversationInfo", 10, [.queried, .sealed]) }
    static var order: Table<ListKey, KindRow> { Table("conversationOrder", 11) }
    /// The numbers among the attributes of the conversations that are in `conversationOrder`.
    static var numbers: Table<AttributeNumberKey, AttributeNumber> {
        Table("conversationNumbers", 40, .sealed)
    }

    static let handlers = EventHandlers<Self>(
        following: Set.with(.changesTimeline).union(Settings.typesOfConversations)
    )
    .on(.conversationCreated, .conversationUpdated, .conversationSnapshotReceived) { fold, event, rows, changes in
        try fold.setInfo(event, &rows, &changes)
    }
    .on(.conversationTagged) { fold, event, rows, changes in try fold.tag(event, &rows, &changes) }
    .on(.historyCleared) { fold, event, rows, _ in try fold.clear(event.conversationNumber, &rows) }
    .on(.chatRoomLeft) { fold, event, rows, _ in
        if event.purgesChatRoom { try fold.clear(event.conversationNumber, &rows) }
    }
    // Deltas are hints: services drop them while the client is away (B26, d23).
    .on(.membersAdded, .membersRemoved, .conversationInvalidated) { fold, event, rows, _ in
        try fold.update(event.conversationNumber, &rows) { $0.flags.insert(.isOutdated) }
    }
    .on(.selfKicked) { fold, event, rows, _ in try fold.update(event.conversationNumber, &rows) { _ in } }
    .on(.unreadCountReported) { fold, event, rows, _ in try fold.report(event, &rows) }
    .on(ConversationSummaryReceived.self) { fold, event, rows, _ in try fold.summarise(event, &rows) }
    .on(ConversationDeleted.self) { fold, event, rows, _ in
        let conversation = event.record.conversationNumber
        let newest = try rows.snapshot.newestReported(in: conversation, asOf: event.record).order ?? .belowAll
        let alsoMessages = event[ConversationDeleted.alsoMessages]
        try fold.update(conversation, &rows, lists: false) { row in
            row.flags.insert(.isHidden)
            row.hiddenUpTo = max(newest, row.reportedUpTo)
            if alsoMessages { row.flags.insert(.isCleared) }
        }
        if alsoMessages { try fold.refreshLastMessage(conversation, &rows) }
    }
    .on(.selfInvited) { fold, event, rows, _ in
        let time = event.listed(event.serverTime ?? event.now)
        let isOwn = event.actorNumber == .account
        try fold.update(event.conversationNumber, &rows) { row in
            // The notice to the one who invites moves nothing that has a place (B23).
            if !isOwn || row.activity == 0 { row.confirmedActivity = max(row.confirmedActivity, time) }
        }
    }

    private struct Entry {
        /// nil if the conversation was not in the list when its row was decoded.
        let original: ConversationRow?
        var row: ConversationRow
    }

    /// The rows that were touched since the last finish, decoded.
    private var cache = ConversationCache<Entry>()
    /// The info as of the last finish, of conversations whose info changed since.
    private var formerInfo: [ConversationNumber: ConversationInfo] = [:]
    /// The conversations that the event added to the list.
    private var newConversations: [ConversationNumber] = []

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try apply(changes.timeline, &rows)
        // A message changes the list only by its place in the timeline.
        if !event.type.isMessage {
            try handle(event, &rows, &changes)
            for choice in changes.choices { try take(choice, event, &rows) }
        }
        guard !newConversations.isEmpty else { return }
        for conversation in newConversations {
            changes.index(.id(try rows.snapshot.symbols.conversation(conversation).id), conversation, true)
        }
        newConversations.removeAll()
    }

    private mutating func apply(_ changes: borrowing TimelineChanges, _ rows: inout FoldRows) throws {
        for change in changes.list {
            if let message = change.after, change.before == nil,
                !message.flags.isDisjoint(with: [.updatesLastMessage, .counts])
            {
                try arrive(message, change, changes.order(of: change), &rows)
            } else if change.after == nil, let removed = change.before {
                try leave(removed, change.conversation, &rows)
            }
        }
    }

    private mutating func arrive(
        _ message: TimelineRow, _ change: TimelineChange, _ order: RawSpan, _ rows: inout FoldRows
    ) throws {
        let slot = try slot(change.conversation, &rows)
        if change.isMove {
            cache[slot].row.provisionalActivity = try rows.snapshot.newestProvisionalTime(in: change.conversation)
        }
        // A cleared message that is fetched again stays cleared (d21).
        if cache[slot].row.flags.contains(.isCleared),
            try !rows.snapshot.clearing(of: change.conversation).shows(message.local, at: order)
        {
            return
        }
        cache[slot].row.arrive(message, order, change.recording, isMove: change.isMove)
    }

    /// The slot of a conversation's decoded row, if whatever arrives shows in it.
    @inline(__always)
    mutating func openSlot(of conversation: ConversationNumber) -> Int? {
        guard let slot = cache.slot(of: conversation), !cache[slot].row.flags.contains(.isCleared) else { return nil }
        return slot
    }

    /// Notes a message that arrived in a conversation with nothing cleared.
    @inline(__always)
    mutating func arrive(_ message: TimelineRow, at order: RawSpan, _ slot: Int, _ recording: Recording) {
        cache[slot].row.arrive(message, order, recording, isMove: false)
    }

    /// The last message went: the one before it is shown, and the place in the list stays (d21).
    private mutating func leave(
        _ removed: TimelineRow, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        guard try lastMessage(of: conversation, &rows) == removed.local.rawValue else { return }
        try refreshLastMessage(conversation, &rows)
    }

    /// Takes over a choice that applies.
    private mutating func take(_ choice: Choice, _ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        switch choice {
        case .flag(let flag, let isSet):
            if let bit = flag.row {
                try update(conversation, &rows, lists: event.type != .conversationDeleted) { $0.flags[bit] = isSet }
            } else if isSet {
                try update(conversation, &rows) { $0.flags.remove(.isHidden) }
            }
        case .muting(let muting): try update(conversation, &rows, lists: false) { $0.muting = muting }
        case .draft(let position, let time):
            try update(conversation, &rows, lists: false) { ($0.draftPosition, $0.draftTime) = (position, time) }
        case .threadDraft, .tag, .folder, .nickname, .role, .timer: break
        }
    }

    /// A count of unread messages lists the conversation: at the place of the last message that was counted, else at
    /// the server's time, else at the time of recording.
    ///
    /// - Parameter isPlaced: Whether the server reported the conversation's activity, which no time of a count changes.
    private mutating func report(_ event: RecordView, isPlaced: Bool = false, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        guard let reported = event.reportedCount else { return }
        // Nothing unread lists nothing.
        if reported.count == 0, try !isKnown(conversation, &rows) { return }
        let place = try rows.snapshot.place(of: reported, event)
        let time = place.map { min(OrderKey.time(of: $0.bytes.span.bytes), event.latestTime) }
        let recorded = UInt64(clamping: event.now.milliseconds)
        try update(conversation, &rows, lists: reported.count > 0) { row in
            if let place { row.reportedUpTo = max(row.reportedUpTo, place) }
            guard reported.count > 0 else { return }
            if reported.upTo != nil || !isPlaced {
                row.confirmedActivity = max(row.confirmedActivity, time ?? recorded)
            }
            // A number alone speaks of its moment: it is newer than what was deleted.
            if place.map({ row.hiddenUpTo < $0 }) ?? true { row.flags.remove(.isHidden) }
        }
    }

    /// A summary in a server's list has the same effect as the single events.
    private mutating func summarise(_ event: EventView<ConversationSummaryReceived>, _ rows: inout FoldRows) throws {
        let conversation = event.record.conversationNumber
        let activity = event[ConversationSummaryReceived.activity]
        if let activity {
            let time = UInt64(clamping: activity.milliseconds)
            try update(conversation, &rows) { row in
                row.confirmedActivity = max(row.confirmedActivity, event.record.listed(activity))
                // A repeated activity says nothing new about a conversation that was deleted since.
                if time > row.reportedActivity, time > OrderKey.time(of: row.hiddenUpTo.bytes.span.bytes) {
                    row.flags.remove(.isHidden)
                }
                row.reportedActivity = max(row.reportedActivity, time)
            }
        }
        try report(event.record, isPlaced: activity != nil, &rows)
    }

    private mutating func clear(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        try update(conversation, &rows, lists: false) { $0.flags.insert(.isCleared) }
        try refreshLastMessage(conversation, &rows)
    }

    private mutating func refreshLastMessage(_ conversation: ConversationNumber, _ rows: inout FoldRows)
        throws
    {
        let last = try rows.snapshot.lastMessage(in: conversation)
        try update(conversation, &rows, lists: false) { row in
            row.lastMessage = last?.local.rawValue ?? 0
            row.lastOrder = last?.order ?? .belowAll
        }
    }

    private mutating func setInfo(
        _ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges
    ) throws {
        let isSnapshot = event.type == .conversationSnapshotReceived
        let former = try rows.updateInfo(of: event.conversationNumber, &changes) { info in
            if isSnapshot { info.replace(by: event) } else { info.apply(event) }
        }
        if formerInfo[event.conversationNumber] == nil { formerInfo[event.conversationNumber] = former }
        let time = event.serverTime.map { event.listed($0) }
        let isCreation = event.type == .conversationCreated
        let kind = try event.reportedKind(rows.snapshot.symbols)
        try update(event.conversationNumber, &rows) { row in
            if isSnapshot { row.flags.remove(.isOutdated) }
            if let kind { row.kind = kind.rawValue }
            if isCreation, let time { row.confirmedActivity = max(row.confirmedActivity, time) }
        }
    }

    private mutating func tag(
        _ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges
    ) throws {
        var (added, removed): ([String], [String]) = ([], [])
        for case .tag(let tag, let isSet) in changes.choices { isSet ? added.append(tag) : removed.append(tag) }
        try rows.updateInfo(of: event.conversationNumber, &changes) { $0.setTags(remove: removed, add: added) }
        try update(event.conversationNumber, &rows) { _ in }
    }

    /// - Parameter lists: Whether it puts a new conversation into the list.
    private mutating func update(
        _ conversation: ConversationNumber, _ rows: inout FoldRows, lists: Bool = true,
        _ body: (inout ConversationRow) throws -> Void
    ) throws {
        let slot = try slot(conversation, &rows)
        if lists { cache[slot].row.flags.remove(.isUnlisted) }
        try body(&cache[slot].row)
    }

    /// Whether something happened already that a list would show.
    private mutating func isKnown(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws -> Bool {
        if cache.slot(of: conversation) != nil { return true }
        return try rows.snapshot.row(ConversationList.conversations, conversation) != nil
    }

    /// Adds no entry: a conversation that is only asked about is not in the list.
    private mutating func lastMessage(of conversation: ConversationNumber, _ rows: inout FoldRows) throws
        -> UInt64?
    {
        if let slot = cache.slot(of: conversation) { return cache[slot].row.lastMessage }
        return try rows.snapshot.row(ConversationList.conversations, conversation)?.lastMessage
    }

    private mutating func slot(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws -> Int {
        if let slot = cache.slot(of: conversation) { return slot }
        if let row = try rows.snapshot.row(ConversationList.conversations, conversation) {
            return cache.insert(Entry(original: row, row: row), of: conversation)
        }
        var row = ConversationRow()
        row.kind = try rows.snapshot.symbols.conversation(conversation).kind.rawValue
        row.flags = .isUnlisted
        newConversations.append(conversation)
        return cache.insert(Entry(original: nil, row: row), of: conversation)
    }

    var openConversations: Int { cache.conversations.count }

    /// Writes the touched rows, and their places in the list where those changed.
    mutating func finishBatch(_ rows: inout FoldRows) throws {
        for (conversation, entry) in zip(cache.conversations, cache.entries) where entry.row != entry.original {
            let old = entry.original?.listKey(conversation)
            let new = entry.row.listKey(conversation)
            // Nothing was known of one that is new.
            if entry.original != nil, (old == nil) != (new == nil), formerInfo[conversation] == nil {
                formerInfo[conversation] = try rows.snapshot.row(ConversationList.info, conversation)
            }
            if let old, old != new { rows.remove(Self.order, old) }
            if let new, old != new || entry.original?.kind != entry.row.kind {
                rows.put(Self.order, new, KindRow(kind: entry.row.kind))
            }
            rows.put(Self.conversations, conversation, entry.row)
        }
        if !formerInfo.isEmpty { try writeNumbers(&rows) }
        cache.removeAll()
    }

    /// Writes the numbers by which conversations are found, where those changed or the conversation came into the list
    /// or left it.
    private mutating func writeNumbers(_ rows: inout FoldRows) throws {
        for (conversation, former) in formerInfo {
            guard let slot = cache.slot(of: conversation) else { continue }
            let isListed = (
                old: cache[slot].original?.listKey(conversation) != nil,
                new: cache[slot].row.listKey(conversation) != nil
            )
            let old = isListed.old ? former.numbers(of: conversation) : [:]
            let new =
                isListed.new
                ? try rows.snapshot.row(ConversationList.info, conversation)?.numbers(of: conversation)
                    ?? [:] : [:]
            for key in old.keys where new[key] == nil { rows.remove(Self.numbers, key) }
            for (key, row) in new where old[key] != row { rows.put(Self.numbers, key, row) }
        }
        formerInfo.removeAll()
    }
}

extension ConversationRow {
    /// Takes over a message that comes to its place in the timeline.
    @inline(__always)
    fileprivate mutating func arrive(
        _ message: TimelineRow, _ order: RawSpan, _ recording: Recording, isMove: Bool
    ) {
        flags.remove(.isUnlisted)
        // Only a new message lists a conversation again, not the answer to one that was there before (d20).
        if flags.contains(.isHidden), !isMove, hiddenUpTo.precedes(order) { flags.remove(.isHidden) }
        guard message.flags.contains(.updatesLastMessage) else { return }
        if OrderKey.isUnsent(order) || message.flags.isTimeProvisional {
            provisionalActivity = max(provisionalActivity, UInt64(clamping: recording.now.milliseconds))
        } else {
            confirmedActivity = max(confirmedActivity, min(OrderKey.time(of: order), recording.latest))
        }
        if lastMessage == 0 || lastOrder.precedes(order) {
            lastMessage = message.local.rawValue
            lastOrder.set(order)
        }
    }
}

extension FoldRows {
    /// Changes what is known of a conversation, and by what it is found.
    ///
    /// - Returns: The information as it was.
    @discardableResult
    mutating func updateInfo(
        of conversation: ConversationNumber, _ changes: inout FoldChanges,
        _ body: (inout ConversationInfo) -> Void
    ) throws -> ConversationInfo {
        let before = try snapshot.row(ConversationList.info, conversation) ?? ConversationInfo()
        var after = before
        body(&after)
        changes.reindex(conversation, from: before.indexKeys, to: after.indexKeys)
        put(ConversationList.info, conversation, after)
        return before
    }
}

extension RecordView {
    /// The kind that an event about a conversation's fields gives it; nil if the kind stays as it was.
    ///
    /// A snapshot is the full account of a conversation: one without a kind gives it back the key's.
    func reportedKind(_ symbols: SymbolTable) throws -> ConversationKind? {
        if let kind = self[ConversationFields.kind] { return kind }
        guard type == .conversationSnapshotReceived else { return nil }
        return try symbols.conversation(conversationNumber).kind
    }
}

extension ProjectionID {
    /// The conversation list.
    public static let conversationList: ProjectionID = "ConversationList"
}
