import MessageStore

/// Where a store and the model disagree.
struct Disagreement: Error, CustomStringConvertible {
    let description: String

    static func check<Value: Equatable>(_ what: @autoclosure () -> String, _ store: Value, _ model: Value) throws {
        if store != model {
            throw Disagreement(description: "\(what())\n  store: \(store)\n  model: \(model)")
        }
    }
}

extension Disagreement {
    /// The same for values with an unread count: where messages were cut off, a server's number may put the read marker
    /// elsewhere among those, and messages may be missing next to them.
    static func check<Value: Equatable>(
        _ what: @autoclosure () -> String, _ store: Value, _ model: Value, isCut: Bool
    ) throws {
        func words(_ value: Value) -> String {
            "\(value)".replacing(#/readUpTo: (nil|Optional\([^)]*\))|isLowerBound: (true|false)/#, with: "")
                // A dictionary has no order.
                .replacing(#/indexedAttributes: \[([^\]]*)\]/#) {
                    $0.output.1.split(separator: ", ").sorted().joined(separator: " ")
                }
        }
        guard !isCut || words(store) != words(model) else { return }
        try check(what(), store, model)
    }
}

/// Compares everything that the views answer about some conversations.
func compare(_ views: borrowing Views, _ model: StoreModel, _ keys: some Collection<ConversationKey>) throws {
    try Disagreement.check("position", views.position, model.lastPosition)
    for key in keys {
        let conversation = try views.conversation(key)
        let isCut = model.hasCut(in: key)
        try Disagreement.check("conversation \(key)", conversation, model.conversation(key), isCut: isCut)
        try Disagreement.check(
            "unread of \(key)", try views.unread(of: key), model.unread(of: key), isCut: isCut)
        let page = try views.timeline(of: key, limit: 1000)
        let expected = model.timeline(of: key).suffix(1000)
        try Disagreement.check(
            "timeline of \(key)", page.elements.map(\.id.rawValue), expected.map(\.id.rawValue))
        for (message, expected) in zip(page.elements, expected) {
            try Disagreement.check("message in \(key)", message, expected)
        }
        try checkUnreadRows(views, key, page)
        for limit in [3, 1000] {
            try compare(
                "page of \(limit) in \(key)", try views.timeline(of: key, limit: limit),
                model.page(of: key, newest: limit), isCut: isCut, model, key)
        }
        let members = try views.members(in: key, limit: 1000).elements.sorted { $0.id < $1.id }
        try Disagreement.check("members of \(key)", members, model.members(in: key))
        try compareDetails(views, model, key, page.elements)
        try compareTimelineEvents(views, model, key)
        try Disagreement.checkThreads(views, model, key)
    }
}

/// Compares the count of a conversation with the messages that are shown as unread (B15), unless a server's number is in force.
private func checkUnreadRows(_ views: borrowing Views, _ key: ConversationKey, _ page: TimelinePage) throws {
    let count = try views.unread(of: key)
    guard count.report == nil, !page.hasOlder else { return }
    let unread = page.elements.filter { $0.isRead == false && $0.countsUnread && !$0.isRecalled }
    try Disagreement.check("unread messages of \(key)", count.messages, unread.count)
    try Disagreement.check("first unread message of \(key)", try views.firstUnread(in: key)?.id, unread.first?.id)
    try Disagreement.check(
        "shown as unread in \(key)", try ViewDiagnostics.shownUnread(of: key, in: views), unread.count)
    let mentions = try views.unreadMentions(in: key, limit: 1000).elements.count
    try Disagreement.check("unread mentions of \(key)", mentions, count.mentions)
}

/// Compares a page with the model's. Where messages were cut off that lay next to those that are left, the store may
/// know less of what is missing around these, and never claims more. Where a stretch begins among those, what ended it may
/// have been cut off, too, and the store answers from what is left.
private func compare(
    _ name: String, _ page: TimelinePage, _ expected: TimelinePage, isCut: Bool, _ model: StoreModel,
    _ key: ConversationKey
) throws {
    guard isCut else { return try Disagreement.check(name, page, expected) }
    try Disagreement.check(name, page.elements, expected.elements)
    try Disagreement.check(name, [page.hasOlder, page.hasNewer], [expected.hasOlder, expected.hasNewer])
    let claimsMore =
        page.isContiguous && !expected.isContiguous || !page.hasGapBefore && expected.hasGapBefore
        || !page.hasGapAfter && expected.hasGapAfter || page.reachesBeginning && !expected.reachesBeginning
    if claimsMore, !model.hasClearedStretch(in: key) { try Disagreement.check("\(name), cut off", page, expected) }
}

/// Compares what stands between the messages: page by page, each event once and in its order.
private func compareTimelineEvents(_ views: borrowing Views, _ model: StoreModel, _ key: ConversationKey) throws {
    var events: [Position] = []
    var page = try views.timeline(of: key, limit: 3)
    while true {
        events = try views.timelineEvents(on: page, in: key, limit: 1000).map(\.id) + events
        guard page.hasOlder, let oldest = page.elements.first else { break }
        page = try views.timeline(of: key, .before(.message(.local(oldest.id))), limit: 3)
    }
    try Disagreement.check("events beside the messages of \(key)", events, model.timelineEvents(of: key))
}

/// Compares what is not of one conversation: the list, totals, profiles, outbox, sync.
func compareAccount(_ views: borrowing Views, _ model: StoreModel) throws {
    for archived in ArchivedConversations.allCases { try compareList(views, model, archived) }
    for user in model.people {
        try Disagreement.check(
            "profile of \(user)", try views.profile(user), model.profile(user))
    }
    try compareConversationStates(views, model)
    try compareContacts(views, model)
    try Disagreement.checkMarks(views, model)
    try Disagreement.checkFiles(views, model)
    try Disagreement.check("outbox", try views.outbox(), model.outbox())
    let pending = try views.pendingChanges().map { change in
        // A record has the server's time of its payload in its head as well.
        var event = change.event
        event.serverTime = model.log[Int(change.id.rawValue) - 1].serverTime
        return PendingChange(
            id: change.id, event: event, message: change.message, status: change.status,
            failureCode: change.failureCode, isReady: change.isReady, isRedacted: change.isRedacted)
    }
    try Disagreement.check("pending changes", pending, model.pendingChanges())
    try Disagreement.check("sync", try views.syncProgress(), model.syncProgress())
    try Disagreement.check("session", try views.session(), model.sessionState())
    try Disagreement.check(
        "unknown events", try ViewDiagnostics.unknownEventCounts(in: views), model.unknownEventCounts())
    for name in ["c0", "c1"] {
        try Disagreement.check("cursor \(name)", try views.syncCursor(name), model.syncCursor(name))
    }
}

/// Compares a list, page by page, and the totals over the same conversations.
private func compareList(
    _ views: borrowing Views, _ model: StoreModel, _ archived: ArchivedConversations
) throws {
    let expected = model.conversationList(archived: archived)
    var list: [Conversation] = []
    var cursor: PageCursor?
    repeat {
        let page = try views.conversations(archived: archived, after: cursor, limit: 2)
        list += page.elements
        cursor = page.next
    } while cursor != nil && list.count <= expected.count
    try Disagreement.check("list, archive \(archived)", list.map(\.key), expected.map(\.key))
    try Disagreement.check("listed conversations, archive \(archived)", list, expected, isCut: !model.cut.isEmpty)
    try checkBadge(views, archived)
    for kinds: Set<ConversationKind>? in [nil, [.single], [.group, .system], [.chatRoom], [.unspecified]] {
        if let kinds {
            let page = try views.conversations(kinds: kinds, archived: archived, limit: 1000)
            try Disagreement.check(
                "list of \(kinds), archive \(archived)", page.elements.map(\.key),
                model.conversationList(kinds: kinds, archived: archived).map(\.key))
        }
        for includesMuted in [false, true] {
            let totals = try views.unreadTotals(kinds: kinds, archived: archived, includesMuted: includesMuted)
            try Disagreement.check(
                "totals of \(String(describing: kinds)), archive \(archived), muted \(includesMuted)",
                totals,
                model.unreadTotals(kinds: kinds, archived: archived, includesMuted: includesMuted))
        }
    }
}

/// Looks up the messages that events name, by every id they have.
func compareLookups(_ views: borrowing Views, _ model: StoreModel, _ events: [Event]) throws {
    for event in events {
        guard let key = event.conversation else { continue }
        // Of a message that was cut off nothing is known.
        for reference in event.namedMessages where !model.isCut(reference, in: key) {
            try compareDetails(views, model, key, reference)
        }
        switch event.payload {
        case let message as MessageReceived:
            let reference = MessageReference.server(message.serverID)
            try Disagreement.check(
                "\(reference) in \(key)", try views.message(reference, in: key),
                model.message(reference, in: key))
            guard let token = message.clientToken else { continue }
            try Disagreement.check(
                "\(token)",
                try views.message(token: token, of: message.sender),
                model.message(token: token, of: message.sender))
        case let sent as MessageSent:
            for reference in [MessageReference.local(sent.message), .server(sent.serverID)] {
                try Disagreement.check(
                    "\(reference) in \(key)",
                    try views.message(reference, in: key),
                    model.message(reference, in: key))
            }
        default: continue
        }
    }
}

/// What the badge tells is what the list shows: the sum over its rows that are not muted, where one that is only marked
/// unread counts as one, and one of which mentions alone notify with its mentions.
private func checkBadge(_ views: borrowing Views, _ archived: ArchivedConversations) throws {
    var (badge, messages, cursor) = (0, 0, PageCursor?.none)
    repeat {
        let page = try views.conversations(archived: archived, after: cursor)
        for row in page.elements where !row.isMuted {
            let count = row.notificationLevel == .all ? row.unread.messages : row.unread.mentions
            messages += count
            badge += count == 0 && row.unread.isMarkedUnread && row.notificationLevel == .all ? 1 : count
        }
        cursor = page.next
    } while cursor != nil
    let totals = try views.unreadTotals(archived: archived)
    try Disagreement.check("badge over the list's rows", totals.badge, badge)
    try Disagreement.check("unread messages over the list's rows", totals.messages, messages)
}
