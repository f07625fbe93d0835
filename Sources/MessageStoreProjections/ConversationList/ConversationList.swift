internal import MessageStoreLog

/// The projection of the conversation list: pinned first, then by latest activity.
struct ConversationList: ~Copyable {
    private struct Entry {
        /// nil where the conversation was not in the list before this batch.
        let original: ConversationRow?
        var row: ConversationRow
    }

    /// The rows that this batch touched, decoded.
    private var entries: [UInt32: Entry] = [:]
    private var value = ByteWriter()

    mutating func apply(_ changes: borrowing TimelineChanges, _ views: borrowing Views) throws {
        for change in changes.list {
            if change.after?.flags.contains(.updatesLastMessage) == true, change.before == nil {
                try arrive(change, changes.order(of: change), views)
            } else if change.after == nil, let removed = change.before {
                try leave(removed, change.conversation, views)
            }
        }
    }

    private mutating func arrive(_ change: TimelineChange, _ order: RawSpan, _ views: borrowing Views) throws {
        guard let message = change.after else { return }
        try update(change.conversation, views) { row throws in
            // Where nothing is shown the history may be cleared: copies fetched again stay out of sight (d21).
            if row.lastMessage == 0, let floor = try views.floor(of: change.conversation) {
                guard floor.span.bytes.precedes(order) else { return }
            }
            if row.flags.contains(.isHidden) {
                guard row.hiddenUpTo.span.bytes.precedes(order) else { return }
                row.flags.remove(.isHidden)
            }
            let isUnsent = OrderBytes.isUnsent(order)
            let time = isUnsent ? UInt64(clamping: change.recordedTime.milliseconds) : OrderBytes.time(of: order)
            if row.flags.contains(.isActivityProvisional), !isUnsent, !OrderBytes.isUnsent(row.lastOrder.span.bytes) {
                // The server's times decide again; a message of the past does not move the conversation below its last.
                row.activity = max(time, OrderBytes.time(of: row.lastOrder.span.bytes))
                row.flags.remove(.isActivityProvisional)
            } else if time > row.activity {
                row.activity = time
                if isUnsent { row.flags.insert(.isActivityProvisional) }
            }
            if row.lastMessage == 0 || row.lastOrder.span.bytes.precedes(order) {
                row.lastMessage = message.local.rawValue
                row.lastOrder = order.copied
            }
        }
    }

    /// The last message went: the one before it is shown, and the place in the list stays (d21).
    private mutating func leave(_ removed: TimelineRow, _ conversation: UInt32, _ views: borrowing Views) throws {
        guard try entry(conversation, views).row.lastMessage == removed.local.rawValue else { return }
        let last = try views.lastMessage(in: conversation)
        try update(conversation, views) { row in
            row.lastMessage = last?.local.rawValue ?? 0
            row.lastOrder = last?.order ?? []
        }
    }

    mutating func apply(_ event: RecordView, _ views: inout Views) throws {
        let conversation = event.conversation
        switch event.type {
        case .conversationCreated, .conversationUpdated, .conversationSnapshotReceived:
            try setInfo(event, &views)
        case .conversationPinned: try setFlag(.isPinned, event.number(3) == 1, conversation, views)
        case .conversationMuted: try setFlag(.isMuted, event.number(3) == 1, conversation, views)
        case .conversationDraftChanged:
            let position = event.number(3) == 1 ? event.position.rawValue : 0
            try update(conversation, views) { $0.draftPosition = position }
        case .conversationDeleted:
            let newest = try views.newestOrder(in: conversation) ?? []
            try update(conversation, views) { row in
                row.flags.insert(.isHidden)
                row.flags.remove(.isPinned)
                row.draftPosition = 0
                row.hiddenUpTo = newest
            }
            if event.number(3) == 1 { try refreshLastMessage(conversation, views) }
        case .historyCleared: try refreshLastMessage(conversation, views)
        case .membersAdded, .membersRemoved:
            // Deltas are hints: services drop them while the client is away (B26, d23).
            try setFlag(.isOutdated, true, conversation, views)
        case .selfInvited, .selfKicked: try update(conversation, views) { _ in }
        default: break
        }
    }

    private mutating func refreshLastMessage(_ conversation: UInt32, _ views: borrowing Views) throws {
        let last = try views.lastMessage(in: conversation)
        try update(conversation, views) { row in
            row.lastMessage = last?.local.rawValue ?? 0
            row.lastOrder = last?.order ?? []
        }
    }

    private mutating func setFlag(
        _ flag: ConversationRow.Flags, _ isSet: Bool, _ conversation: UInt32, _ views: borrowing Views
    ) throws {
        try update(conversation, views) { row in
            if isSet { row.flags.insert(flag) } else { row.flags.remove(flag) }
        }
    }

    private mutating func setInfo(_ event: RecordView, _ views: inout Views) throws {
        let key = RowKey.number(event.conversation)
        let isSnapshot = event.type == .conversationSnapshotReceived
        var info = isSnapshot ? ConversationInfo() : try views.info(of: event.conversation) ?? ConversationInfo()
        info.apply(event)
        views.put(.conversationInfo, key.span.bytes, info.bytes.span.bytes)
        let time = event.serverTime.map { UInt64(clamping: $0.milliseconds) }
        let isCreation = event.type == .conversationCreated
        try update(event.conversation, views) { row in
            if isSnapshot { row.flags.remove(.isOutdated) }
            if isCreation, let time, time > row.activity { row.activity = time }
        }
    }

    private mutating func update(
        _ conversation: UInt32, _ views: borrowing Views, _ body: (inout ConversationRow) throws -> Void
    ) throws {
        if entries[conversation] == nil { entries[conversation] = try entry(conversation, views) }
        if var entry = entries.removeValue(forKey: conversation) {
            try body(&entry.row)
            entries[conversation] = entry
        }
    }

    private func entry(_ conversation: UInt32, _ views: borrowing Views) throws -> Entry {
        if let entry = entries[conversation] { return entry }
        if let row = try views.conversation(conversation) { return Entry(original: row, row: row) }
        var row = ConversationRow()
        row.kind = try views.symbols.conversation(conversation).kind.rawValue
        return Entry(original: nil, row: row)
    }

    /// Writes the batch's rows, and their places in the list where those changed.
    mutating func finishBatch(_ views: inout Views) {
        for (conversation, entry) in entries where entry.row != entry.original {
            let old = entry.original?.listKey(conversation)
            let new = entry.row.listKey(conversation)
            if old != new {
                if let old { views.remove(.conversationOrder, old.span.bytes) }
                if let new { views.put(.conversationOrder, new.span.bytes, [UInt8]().span.bytes) }
            }
            value.removeAll()
            entry.row.write(to: &value)
            views.put(.conversations, RowKey.number(conversation).span.bytes, value.bytes)
        }
        entries.removeAll(keepingCapacity: true)
    }
}
