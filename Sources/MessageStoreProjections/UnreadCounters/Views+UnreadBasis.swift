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
    /// nil where it counts.
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
        let row = try snapshot.unreadRow(of: number)
        let isPlaced = row.report.flags.contains(.isPlaced) && !row.report.flags.contains(.isReadSince)
        return MessageOrder(row.isReportInForce || isPlaced ? max(row.readUpTo, row.report.upTo) : row.readUpTo)
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
        var cursor = try snapshot.rows(UnreadCounters.counters.place)
        while try cursor.next() {
            guard let number = ConversationNumber(key: cursor.key) else { continue }
            let row = try cursor.row(of: UnreadCounters.counters)
            guard row.messages > 0 || row.flags.contains(.isMarkedUnread) else { continue }
            let key = try snapshot.symbols.conversation(number)
            try body(key, unreadBasis(of: key))
        }
    }
}
