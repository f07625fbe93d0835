extension Views {
    /// The part of a message's snapshot that the store does not know yet; nil if there is none.
    ///
    /// A host that fetches copies of messages records what this leaves, and so records nothing where nothing changed.
    /// Pages of a `HistoryProvider` are compared in this way. Of a message that the store does not have, everything is
    /// news. Costs a few point reads and a step for each reaction to the message, however many members sent receipts.
    ///
    /// - Parameters:
    ///   - told: The snapshot.
    ///   - conversation: The conversation of its message.
    /// - Throws: `StoreError`.
    public borrowing func news(
        of told: MessageSnapshotReceived, in conversation: ConversationKey
    ) throws -> MessageSnapshotReceived? {
        var news = told
        if let number = try snapshot.symbols.number(of: conversation),
            let local = try snapshot.local(of: told.message, in: number), local.rawValue <= position.rawValue,
            try snapshot.isMessage(local, in: number)
        {
            let state = try snapshot.row(Messages.states, local) ?? MessageState()
            news.keepNews(over: state, possibleFlags: try snapshot.possibleFlags(of: local))
            if let reactions = told.reactions,
                Self.isSame(reactions, try self.reactions(to: told.message, in: conversation))
            {
                news.reactions = nil
            }
            let (knownCounts, deliveredCount) = try receiptCounts(of: told.message, in: conversation)
            if let known = knownCounts, let counts = told.counts, counts == known || counts.read < known.read {
                news.counts = nil
            }
            if told.deliveredCount ?? 0 <= deliveredCount ?? 0 { news.deliveredCount = nil }
        }
        return news.isEmpty ? nil : news
    }

    private static func isSame(_ told: [ReactionSummary], _ known: [Reaction]) -> Bool {
        let told = told.filter { !$0.users.isEmpty || $0.count ?? 0 > 0 }
        return told.count == known.count
            && told.allSatisfy { summary in
                known.contains { reaction in
                    reaction.key == summary.key && Set(reaction.users) == Set(summary.users)
                        && reaction.count == summary.count.map { Int($0) } ?? Set(summary.users).count
                }
            }
    }
}

extension MessageSnapshotReceived {
    /// Leaves out what a message's state shows already.
    fileprivate mutating func keepNews(over state: MessageState, possibleFlags: MessageFlags) {
        if !state.flags.contains(.isTimeProvisional) || sentTime == .unknown { sentTime = nil }
        let tellsMentions = mentions != nil || mentionsEveryone
        if state.contentPosition != 0, let time = modifiedTime?.milliseconds, time <= state.modifiedTime,
            !tellsMentions || state.mentionsPosition != 0 && time <= state.mentionsTime
        {
            (content, modifiedTime, mentions, mentionsEveryone) = (nil, nil, nil, false)
        }
        if state.flags.contains(.isRecalled) { isRecalled = false }
        flags = flags?.intersection(possibleFlags).subtracting(state.userFlags)
        if flags?.isEmpty == true { flags = nil }
    }
}
