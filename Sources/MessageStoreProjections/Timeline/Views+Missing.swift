@_spi(Storage) package import MessageStoreLog

extension Views {
    /// Calls `body` with each gap of the timelines, or of one; oldest first within each. Costs a seek for each.
    package borrowing func forEachGap(
        in conversation: ConversationKey? = nil, _ body: (TimelineGap) throws -> Void
    ) throws {
        var wanted: ConversationNumber?
        if let conversation {
            wanted = try snapshot.symbols.number(of: conversation)
            if wanted == nil { return }
        }
        // A gap follows each closed stretch.
        for (key, _) in try snapshot.allRows(Timeline.ranges) where key.conversation == wanted ?? key.conversation {
            let walk = try walk(key.conversation, types: nil)
            let before = try walk.older(than: key.order.next, limit: 1, snapshot).rows.first
            let after = try walk.newer(than: key.order, limit: 1, isInclusive: false, snapshot).rows.first
            try body(
                TimelineGap(
                    conversation: snapshot.symbols.conversation(key.conversation), before: before?.row.local,
                    after: after?.row.local))
        }
    }

    /// Calls `body` with the messages that have recorded facts and that never arrived. Costs a step for each.
    package borrowing func forEachMissingMessage(_ body: (ConversationKey, ServerMessageID) throws -> Void) throws {
        try snapshot.forEachRow(Messages.parked) { key, _ in
            let id = ServerMessageID(String(decoding: key.serverID, as: UTF8.self))
            try body(try snapshot.symbols.conversation(key.conversation), id)
            return true
        }
    }
}

/// A gap in a timeline: messages may be missing there.
package struct TimelineGap: Sendable {
    /// Whose timeline.
    package let conversation: ConversationKey
    /// The last message before it; nil where there is none.
    package let before: LocalMessageID?
    /// The first message after it; nil where there is none.
    package let after: LocalMessageID?
}
