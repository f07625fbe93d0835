/// The unread count of a conversation.
public struct UnreadCount: Sendable, Hashable {
    /// Messages that count and are above the read marker, or the server's count if that is newer.
    public let messages: Int
    /// Counted messages that mention this account, by name or as one of all.
    public let mentions: Int
    /// Messages in ``mentions`` that mention everyone and not this account by name.
    ///
    /// A server's count does not distinguish them: mentions that it counts are not among them.
    public let everyoneMentions: Int
    /// Messages in ``mentions`` that mention this account by name, or that a server counted.
    public var personalMentions: Int { mentions - everyoneMentions }
    /// Whether the conversation carries the mark "unread", in addition to the count.
    public let isMarkedUnread: Bool
    /// Whether messages may be missing above the read marker, so that there may be more unread ones.
    public let isLowerBound: Bool
    /// The read marker: everything up to it is read; nil if nothing is.
    public let readUpTo: MessageOrder?
    /// The server's last report, while it is in force; ``messages`` is its number plus the messages above its place.
    /// The place is known even if the server named none, unless the store had nothing then.
    ///
    /// It is in force until the account has read up to its place, or until the store has the newest messages without a
    /// gap and as many that count as the server reported. Then they are the unread ones, and ``readUpTo`` is just below
    /// them.
    public let report: UnreadCountReported?

    /// Creates a count, for previews and tests.
    public init(
        messages: Int = 0, mentions: Int = 0, everyoneMentions: Int = 0, isMarkedUnread: Bool = false,
        isLowerBound: Bool = false,
        readUpTo: MessageOrder? = nil, report: UnreadCountReported? = nil
    ) {
        self.messages = messages
        self.mentions = mentions
        self.everyoneMentions = everyoneMentions
        self.isMarkedUnread = isMarkedUnread
        self.isLowerBound = isLowerBound
        self.readUpTo = readUpTo
        self.report = report
    }

    /// Nothing unread.
    public static let none = UnreadCount()
}

/// Sums of unread counts over conversations.
public struct UnreadTotals: Sendable, Hashable {
    /// Unread messages.
    public let messages: Int
    /// Unread messages that mention this account, by name or as one of all.
    public let mentions: Int
    /// Messages in ``mentions`` that mention everyone and not this account by name; see
    /// ``UnreadCount/everyoneMentions``.
    public let everyoneMentions: Int
    /// Messages in ``mentions`` that mention this account by name, or that a server counted.
    public var personalMentions: Int { mentions - everyoneMentions }
    /// Conversations with unread messages or the mark "unread".
    public let conversations: Int
    /// The number that a badge shows: unread messages, and one for each conversation that is only marked.
    public let badge: Int

    /// Creates sums, for previews and tests.
    public init(
        messages: Int = 0, mentions: Int = 0, everyoneMentions: Int = 0, conversations: Int = 0, badge: Int? = nil
    ) {
        self.messages = messages
        self.mentions = mentions
        self.everyoneMentions = everyoneMentions
        self.conversations = conversations
        self.badge = badge ?? messages
    }
}

extension Views {
    /// The unread count of one conversation. Costs one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func unread(of conversation: ConversationKey) throws -> UnreadCount {
        guard let number = try snapshot.symbols.number(of: conversation) else { return .none }
        return try unread(number)
    }

    /// The place up to which this account has read a conversation; nil if it has read nothing.
    ///
    /// ``Message/isRead`` says which messages it covers. A read marker that names a message has the place of that
    /// message, as soon as the store has it. A read marker in the future counts as a day after it was recorded. Costs
    /// one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func readMarker(of conversation: ConversationKey) throws -> MessageOrder? {
        guard let number = try snapshot.symbols.number(of: conversation) else { return nil }
        return MessageOrder(try snapshot.readMarker(of: number))
    }

    /// The unread totals of all conversations; chat rooms never count.
    ///
    /// A conversation whose mentions alone notify counts with its mentions alone, a muted one not at all, until that
    /// ends by the clock of the read. Costs a few point reads, and one for each conversation that is muted for a time
    /// or was and has not been muted otherwise since.
    ///
    /// - Parameters:
    ///   - kinds: Only conversations of these kinds, by ``Conversation/kind``; nil for all but chat rooms.
    ///   - archived: Whether conversations in the archive count.
    ///   - includesMuted: Whether muted conversations count, and conversations whose mentions alone notify count as a
    ///     whole. A badge leaves them out.
    /// - Throws: `StoreError`.
    public borrowing func unreadTotals(
        kinds: Set<ConversationKind>? = nil, archived: ArchivedConversations = .included, includesMuted: Bool = false
    ) throws -> UnreadTotals {
        var sum = UnreadTotal()
        var cursor = try snapshot.rows(UnreadCounters.totals.viewTable)
        while try cursor.next() {
            let (part, muting, kind, isArchived) = try unreadPart(at: cursor)
            guard kind != ConversationKind.chatRoom.rawValue, archived.contains(isArchived),
                kinds?.contains(ConversationKind(rawValue: kind)) ?? true
            else { continue }
            var level = includesMuted ? NotificationLevel.all : muting.level
            if level != .all, muting.until != 0 { level = muting.level(at: try snapshot.time()) }
            guard let larger = sum.adding(part.counting(at: level)), larger.isCountable else {
                throw StoreError.impossibleCount(in: cursor.table, at: cursor.key)
            }
            sum = larger
        }
        return UnreadTotals(sum)
    }

    /// The unread totals of the conversations for which a condition holds; deleted ones and chat rooms never count.
    ///
    /// The first time it costs what ``conversationCount(matching:)`` costs, and a point read for each conversation that
    /// matches. A store that is open for writing keeps the sums of up to 64 conditions; then it costs a few point reads
    /// for each conversation that changed since, unless more than a thousand changes were.
    ///
    /// - Parameters:
    ///   - condition: The condition of the conversations. Archived ones count, unless the condition leaves them out.
    ///   - includesMuted: Whether muted conversations count, and conversations whose mentions alone notify count as a
    ///     whole.
    /// - Throws: `StoreError`: `invalidArgument` for a comparison with a list, an object or null.
    public borrowing func unreadTotals(
        matching condition: ConversationCondition, includesMuted: Bool = false
    ) throws -> UnreadTotals {
        let resolved = try ResolvedCondition(condition, snapshot)
        let query = ConversationQuery(condition)
        let moment = try snapshot.time()
        let question = KeptTotals.Question(condition, includesMuted: includesMuted)
        let history = snapshot.scope.keepingHistory
        if let history {
            let kept = try history.kept.totals.sum(of: question, in: history) { changed, total in
                for conversation in try changed.union(snapshot.conversations(mutedUntil: total.moment, moment)) {
                    var candidate = QueriedConversation(conversation)
                    let matches = try match(&candidate, resolved, query) { _ in true }
                    let part = try matches ? unread(conversation, includesMuted, at: moment) : UnreadTotal()
                    try total.set(part, of: conversation)
                }
                total.moment = moment
            }
            if let kept { return UnreadTotals(kept) }
        }
        var total = KeptTotal(fold: history?.fold ?? 0, moment: moment)
        try forEachMatch(of: resolved, in: query, from: nil, upTo: .max) { candidate throws in
            try total.set(unread(candidate.number, includesMuted, at: moment), of: candidate.number)
            return true
        }
        history?.kept.totals.keep(total, of: question)
        return UnreadTotals(total.sum)
    }

    /// A conversation's part of a total.
    private borrowing func unread(
        _ conversation: ConversationNumber, _ includesMuted: Bool, at moment: Timestamp
    ) throws -> UnreadTotal {
        let row = try snapshot.unreadRow(of: conversation)
        return UnreadTotal(of: row).counting(at: includesMuted ? .all : row.muting.level(at: moment))
    }

    /// The contents of a row of `unreadTotals`: many conversations that are not muted for a time, or one that is.
    private borrowing func unreadPart(
        at cursor: borrowing RowCursor
    ) throws -> (total: UnreadTotal, muting: Muting, kind: UInt8, isArchived: Bool) {
        if let limit = MuteLimitKey(key: cursor.key) {
            let row = try snapshot.unreadRow(of: limit.conversation)
            return (UnreadTotal(of: row), row.muting, row.kind, row.flags.contains(.isArchived))
        }
        let key = try cursor.key(of: UnreadCounters.totals)
        let total = try cursor.row(of: UnreadCounters.totals)
        return (total, Muting(level: key.level, until: 0), key.kind, key.isArchived)
    }

    /// The oldest unread message of a conversation that the store has, or nil.
    ///
    /// Costs a step for each row between the read marker and that message.
    ///
    /// - Throws: `StoreError`.
    public borrowing func firstUnread(in conversation: ConversationKey) throws -> Message? {
        guard let number = try snapshot.symbols.number(of: conversation),
            let unread = try snapshot.row(UnreadCounters.counters, number), unread.messages > 0
        else { return nil }
        var first: LocalMessageID?
        let marker = unread.marker
        try snapshot.forEachRow(above: marker, in: number) { _, row in
            guard marker.isUnread(row) else { return true }
            first = row.local
            return false
        }
        return try first.flatMap { try message($0) }
    }

    borrowing func unread(_ conversation: ConversationNumber) throws -> UnreadCount {
        let row = try snapshot.unreadRow(of: conversation)
        return UnreadCount(
            messages: Int(row.messages), mentions: Int(row.mentioning),
            everyoneMentions: Int(row.everyoneMentions), isMarkedUnread: row.flags.contains(.isMarkedUnread),
            isLowerBound: try snapshot.hasGap(above: row.countedFrom ?? row.readUpTo, in: conversation),
            readUpTo: MessageOrder(row.readUpTo),
            report: row.isReportInForce ? UnreadCountReported(row.report) : nil)
    }
}

extension UnreadTotals {
    /// - Parameter sum: Countable.
    fileprivate init(_ sum: UnreadTotal) {
        self.init(
            messages: Int(sum.messages), mentions: Int(sum.mentions), everyoneMentions: Int(sum.everyoneMentions),
            conversations: Int(sum.conversations), badge: Int(sum.messages + sum.markedOnly))
    }
}

extension UnreadCountReported {
    /// The server's report, as far as a row keeps it; nil if there is none.
    init?(_ report: UnreadReport) {
        guard report != UnreadReport() else { return nil }
        self.init(
            report.count, mentions: report.mentions, upTo: MessageOrder(report.upTo),
            at: report.flags.contains(.hasTime) ? Timestamp(milliseconds: report.time) : nil)
    }
}

/// The parts of an unread count, to explain it.
package struct UnreadBasis: Sendable, Equatable {
    /// The count that is shown.
    package let count: UnreadCount
    /// The server's last report, whether its place is above the read marker or not.
    package let lastReport: UnreadCountReported?
    /// Whether the messages that it counted are known, so that the read marker is just below them.
    package let isReportPlaced: Bool
    /// The messages that count above the report's place where it is in force, else above the read marker.
    package let countedMessages: Int
    /// The level that decides which part of it the badge counts.
    package let level: NotificationLevel

    /// The number that it adds to the badge.
    package var badge: Int {
        switch level {
        case .all: count.messages == 0 && count.isMarkedUnread ? 1 : count.messages
        case .mentionsOnly: count.mentions
        case .nothing: 0
        }
    }
}

/// A message above the read marker, and whether it counts as unread.
package struct UnreadCandidate: Sendable, Equatable {
    /// Why a message does not count.
    package enum Exclusion: String, Sendable, CaseIterable {
        case isOutgoing = "sent by this account"
        case isRecalled = "recalled"
        case isReadAlone = "read one by one"
        case isHistory = "fetched from the past, and no read marker is known"
        case isUncounted = "recorded with a policy that does not count"
    }

    package let message: LocalMessageID
    /// nil if it counts.
    package let exclusion: Exclusion?
    /// Whether the server's report, which is in force, includes it.
    package let isReported: Bool
}

extension Views {
    /// The parts of a conversation's unread count. Costs one point read.
    package borrowing func unreadBasis(of conversation: ConversationKey) throws -> UnreadBasis {
        let number = try snapshot.symbols.number(of: conversation)
        let row = try number.flatMap { try snapshot.unreadRow(of: $0) } ?? UnreadRow()
        return UnreadBasis(
            count: try unread(of: conversation), lastReport: UnreadCountReported(row.report),
            isReportPlaced: row.report.flags.contains(.isPlaced),
            countedMessages: Int(row.count), level: row.muting.level(at: try snapshot.time()))
    }

    /// The place above which a message that arrives makes more unread: the read marker, or up to where a server's number
    /// counts; nil if any does. Costs one point read.
    package borrowing func countsAbove(in conversation: ConversationKey) throws -> MessageOrder? {
        guard let number = try snapshot.symbols.number(of: conversation) else { return nil }
        return MessageOrder(try snapshot.unreadRow(of: number).countsAbove)
    }

    /// Calls `body` with the messages above the read marker that have a place in the timeline, oldest first, until it
    /// returns false.
    package borrowing func forEachUnreadCandidate(
        in conversation: ConversationKey, _ body: (UnreadCandidate) throws -> Bool
    ) throws {
        guard let number = try snapshot.symbols.number(of: conversation) else { return }
        let unread = try snapshot.unreadRow(of: number)
        let marker = unread.marker
        try snapshot.forEachRow(above: marker, in: number) { order, row in
            var isReported = unread.isReportInForce && !unread.report.upTo.precedes(order)
            if !isReported, unread.report.isOpen { isReported = try snapshot.isFromHistory(row.local) }
            return try body(
                UnreadCandidate(
                    message: row.local, exclusion: try exclusion(of: row, isReported || marker.isUnread(row)),
                    isReported: isReported))
        }
    }

    private borrowing func exclusion(
        of row: TimelineRow, _ isCounted: Bool
    ) throws -> UnreadCandidate.Exclusion? {
        if row.flags.contains(.counts) { return isCounted ? nil : .isHistory }
        if row.flags.contains(.isOutgoing) { return .isOutgoing }
        if row.flags.contains(.isRecalled) { return .isRecalled }
        let state = try snapshot.row(Messages.states, row.local)
        return state?.userFlags.contains(.read) == true ? .isReadAlone : .isUncounted
    }

    /// Calls `body` with the conversations that have anything unread or the mark "unread", chat rooms and muted ones
    /// included. Costs a step for each conversation that was ever counted or read.
    package borrowing func forEachUnread(_ body: (ConversationKey, UnreadBasis) throws -> Void) throws {
        var cursor = try snapshot.rows(UnreadCounters.counters.viewTable)
        while try cursor.next() {
            guard let number = ConversationNumber(key: cursor.key) else { continue }
            let row = try cursor.row(of: UnreadCounters.counters)
            guard row.messages > 0 || row.flags.contains(.isMarkedUnread) else { continue }
            let key = try snapshot.symbols.conversation(number)
            try body(key, unreadBasis(of: key))
        }
    }
}

extension ViewDiagnostics {
    /// How many unread messages of a conversation the store has.
    ///
    /// Differs from ``UnreadCount/messages`` only while a server's report is in force (``UnreadCount/report``). Costs
    /// one point read, and meanwhile a step for each row above the read marker.
    ///
    /// - Throws: `StoreError`.
    public static func shownUnread(of conversation: ConversationKey, in views: borrowing Views) throws -> Int {
        guard let number = try views.snapshot.symbols.number(of: conversation) else { return 0 }
        let unread = try views.snapshot.unreadRow(of: number)
        guard unread.isReportInForce else { return Int(unread.count) }
        var count = 0
        let marker = unread.marker
        try views.snapshot.forEachRow(above: marker, in: number) { _, row in
            if marker.isUnread(row) { count += 1 }
            return true
        }
        return count
    }
}

extension UnreadRow {
    /// The place above which a message that arrives makes more unread.
    @inline(never)  // Inlined into a query, version 6.3.1 of the compiler crashes with assertions in optimised code.
    var countsAbove: OrderKey {
        let isPlaced = report.flags.contains(.isPlaced) && !report.flags.contains(.isReadSince)
        guard isReportInForce || isPlaced, readUpTo < report.upTo else { return readUpTo }
        return report.upTo
    }
}
