@_spi(Storage) internal import MessageStoreLog

/// The projection of the conversation list: pinned first, then by latest activity.
struct ConversationList: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .conversationList, version: 4,
        events: .types(
            Set.changingTimeline.union([
                .conversationCreated, .conversationUpdated, .conversationSnapshotReceived, .conversationPinned,
                .conversationMuted, .conversationDraftChanged, .conversationTagged, .conversationDeleted,
                .historyCleared, .chatRoomLeft, .membersAdded, .membersRemoved, .conversationInvalidated,
                .selfInvited, .selfKicked, .unreadCountReported, .conversationMarkedUnread,
            ])),
        reads: [.messages, .timeline], tables: [.conversations, .conversationInfo, .conversationOrder])

    private struct Entry {
        /// nil where the conversation was not in the list when its row was decoded.
        let original: ConversationRow?
        var row: ConversationRow
    }

    /// The rows that were touched since the last finish, decoded.
    private var cache = ConversationCache<Entry>()
    /// The conversations that the event brought into the list.
    private var newConversations: [ConversationNumber] = []

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try apply(changes.timeline, &rows)
        // A message changes the list only by its place in the timeline.
        if !event.type.isMessage { try applyFact(event, &rows, &changes) }
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
                try arrive(change, changes.order(of: change), &rows)
            } else if change.after == nil, let removed = change.before {
                try leave(removed, change.conversation, &rows)
            }
        }
    }

    private mutating func arrive(_ change: TimelineChange, _ order: RawSpan, _ rows: inout FoldRows) throws {
        let slot = try slot(change.conversation, &rows)
        // A cleared message that is fetched again stays cleared (d21).
        if cache[slot].row.flags.contains(.isCleared), let floor = try rows.snapshot.floor(of: change.conversation),
            !floor.precedes(order)
        {
            return
        }
        if change.isMove {
            cache[slot].row.provisionalActivity = try rows.snapshot.newestProvisionalTime(in: change.conversation)
        }
        cache[slot].row.arrive(change, order)
    }

    /// The last message went: the one before it is shown, and the place in the list stays (d21).
    private mutating func leave(
        _ removed: TimelineRow, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        guard try lastMessage(of: conversation, &rows) == removed.local.rawValue else { return }
        let last = try rows.snapshot.lastMessage(in: conversation)
        try update(conversation, &rows) { row in
            row.lastMessage = last?.local.rawValue ?? 0
            row.lastOrder = last?.order ?? .belowAll
        }
    }

    private mutating func applyFact(
        _ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges
    ) throws {
        let conversation = event.conversationNumber
        switch event.type {
        case .conversationCreated, .conversationUpdated, .conversationSnapshotReceived:
            try setInfo(event, &rows, &changes)
        case .conversationPinned:
            try setFlag(.isPinned, event[ConversationPinned.Fields.isPinned], conversation, &rows)
        case .conversationMuted:
            try setFlag(.isMuted, event[ConversationMuted.Fields.isMuted], conversation, &rows)
        case .conversationDraftChanged:
            let isThere = event[ConversationDraftChanged.Fields.isThere]
            let time = UInt64(clamping: event.recordedTime.milliseconds)
            let position = event.position.rawValue
            try update(conversation, &rows) { row in
                row.draftPosition = isThere ? position : 0
                row.draftTime = isThere ? time : 0
            }
        case .conversationTagged: try tag(event, &rows, &changes)
        case .conversationDeleted:
            let newest = try rows.snapshot.newestOrder(in: conversation) ?? .belowAll
            let alsoMessages = event[ConversationDeleted.Fields.alsoMessages]
            try update(conversation, &rows) { row in
                row.flags.insert(.isHidden)
                row.flags.remove(.isPinned)
                row.draftPosition = 0
                row.draftTime = 0
                row.hiddenUpTo = newest
                if alsoMessages { row.flags.insert(.isCleared) }
            }
            if alsoMessages { try refreshLastMessage(conversation, &rows) }
        case .historyCleared: try clear(conversation, &rows)
        case .chatRoomLeft:
            if event.purgesChatRoom { try clear(conversation, &rows) }
        case .membersAdded, .membersRemoved, .conversationInvalidated:
            // Deltas are hints: services drop them while the client is away (B26, d23).
            try setFlag(.isOutdated, true, conversation, &rows)
        case .unreadCountReported: try report(event, &rows)
        case .conversationMarkedUnread:
            guard event[ConversationMarkedUnread.Fields.isMarked] else { return }
            try update(conversation, &rows) { $0.flags.remove(.isHidden) }
        case .selfInvited:
            let time = UInt64(clamping: (event.serverTime ?? event.recordedTime).milliseconds)
            try update(conversation, &rows) { $0.confirmedActivity = max($0.confirmedActivity, time) }
        case .selfKicked: try update(conversation, &rows) { _ in }
        default: break
        }
    }

    /// What the server counts as unread is listed, where its last message stands.
    private mutating func report(_ event: RecordView, _ rows: inout FoldRows) throws {
        guard event[UnreadCountReported.Fields.count] > 0 else { return }
        let place = try rows.snapshot.place(ofReport: event)
        let time = OrderKey.time(of: place.bytes.span.bytes)
        try update(event.conversationNumber, &rows) { row in
            row.confirmedActivity = max(row.confirmedActivity, time)
            if row.hiddenUpTo < place { row.flags.remove(.isHidden) }
        }
    }

    private mutating func clear(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        try setFlag(.isCleared, true, conversation, &rows)
        try refreshLastMessage(conversation, &rows)
    }

    private mutating func refreshLastMessage(_ conversation: ConversationNumber, _ rows: inout FoldRows)
        throws
    {
        let last = try rows.snapshot.lastMessage(in: conversation)
        try update(conversation, &rows) { row in
            row.lastMessage = last?.local.rawValue ?? 0
            row.lastOrder = last?.order ?? .belowAll
        }
    }

    private mutating func setFlag(
        _ flag: ConversationRow.Flags, _ isSet: Bool, _ conversation: ConversationNumber,
        _ rows: inout FoldRows
    ) throws {
        try update(conversation, &rows) { row in
            if isSet { row.flags.insert(flag) } else { row.flags.remove(flag) }
        }
    }

    private mutating func setInfo(
        _ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges
    ) throws {
        let isSnapshot = event.type == .conversationSnapshotReceived
        try rows.updateInfo(of: event.conversationNumber, &changes) { info in
            if isSnapshot { info.replace(by: event) } else { info.apply(event) }
        }
        let time = event.serverTime.map { UInt64(clamping: $0.milliseconds) }
        let isCreation = event.type == .conversationCreated
        try update(event.conversationNumber, &rows) { row in
            if isSnapshot { row.flags.remove(.isOutdated) }
            if isCreation, let time { row.confirmedActivity = max(row.confirmedActivity, time) }
        }
    }

    private mutating func tag(
        _ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges
    ) throws {
        let added = event[ConversationTagged.Fields.added]
        let removed = event[ConversationTagged.Fields.removed]
        try rows.updateInfo(of: event.conversationNumber, &changes) { $0.setTags(remove: removed, add: added) }
        try update(event.conversationNumber, &rows) { _ in }
    }

    private mutating func update(
        _ conversation: ConversationNumber, _ rows: inout FoldRows,
        _ body: (inout ConversationRow) throws -> Void
    ) throws {
        let slot = try slot(conversation, &rows)
        try body(&cache[slot].row)
    }

    /// Adds no entry: a conversation that is only asked about is not in the list.
    private mutating func lastMessage(of conversation: ConversationNumber, _ rows: inout FoldRows) throws
        -> UInt64?
    {
        if let slot = cache.slot(of: conversation) { return cache[slot].row.lastMessage }
        return try rows.snapshot.conversationRow(conversation)?.lastMessage
    }

    private mutating func slot(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws -> Int {
        if let slot = cache.slot(of: conversation) { return slot }
        if let row = try rows.snapshot.conversationRow(conversation) {
            return cache.insert(Entry(original: row, row: row), of: conversation)
        }
        var row = ConversationRow()
        row.kind = try rows.snapshot.symbols.conversation(conversation).kind.rawValue
        newConversations.append(conversation)
        return cache.insert(Entry(original: nil, row: row), of: conversation)
    }

    var openConversations: Int { cache.conversations.count }

    /// Writes the touched rows, and their places in the list where those changed.
    mutating func finishBatch(_ rows: inout FoldRows) throws {
        for (conversation, entry) in zip(cache.conversations, cache.entries) where entry.row != entry.original {
            let old = entry.original?.listKey(conversation)
            let new = entry.row.listKey(conversation)
            if old != new {
                if let old { rows.remove(.conversationOrder, old.span.bytes) }
                if let new { rows.put(.conversationOrder, new.span.bytes, [UInt8]().span.bytes) }
            }
            rows.put(.conversations, at: conversation.rawValue, entry.row)
        }
        cache.removeAll()
    }
}

extension ConversationRow {
    /// Takes over a message that comes to its place in the timeline.
    fileprivate mutating func arrive(_ change: TimelineChange, _ order: RawSpan) {
        guard let message = change.after else { return }
        // Only a new message brings a conversation back, not the answer to one that was there before (d20).
        if flags.contains(.isHidden), !change.isMove, hiddenUpTo.precedes(order) {
            flags.remove(.isHidden)
        }
        guard message.flags.contains(.updatesLastMessage) else { return }
        if OrderKey.isUnsent(order) || message.flags.contains(.isTimeProvisional) {
            provisionalActivity = max(provisionalActivity, UInt64(clamping: change.recordedTime.milliseconds))
        } else {
            confirmedActivity = max(confirmedActivity, OrderKey.time(of: order))
        }
        if lastMessage == 0 || lastOrder.precedes(order) {
            lastMessage = message.local.rawValue
            lastOrder.set(order)
        }
    }
}

extension FoldRows {
    /// Changes what is known of a conversation, and by what it is found.
    mutating func updateInfo(
        of conversation: ConversationNumber, _ changes: inout FoldChanges, _ body: (inout ConversationInfo) -> Void
    ) throws {
        let before = try snapshot.conversationInfo(of: conversation) ?? ConversationInfo()
        var after = before
        body(&after)
        changes.reindex(conversation, from: before.indexKeys, to: after.indexKeys)
        put(.conversationInfo, RowKey.number(conversation).span.bytes, after.bytes.span.bytes)
    }
}
