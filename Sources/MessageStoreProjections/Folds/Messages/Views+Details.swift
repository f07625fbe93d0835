@_spi(Storage) public import MessageStoreLog

/// A reaction to a message and who gave it.
public struct Reaction: Sendable, Hashable {
    /// The reaction, such as an emoji.
    public let key: String
    /// Who gave it, as far as the server named them, the first one first.
    public let users: [UserID]
    /// How many users gave it: the server's last number, raised and lowered by later changes; else the number of users.
    public let count: Int

    /// Creates a reaction, for previews and tests.
    public init(key: String, users: [UserID], count: Int? = nil) {
        self.key = key
        self.users = users
        self.count = count ?? users.count
    }
}

extension Views {
    /// The reactions to a message, in the order in which users who still give them first gave them; reactions that one
    /// `MessageSnapshotReceived` reported sort at its time, in the order of their keys and users.
    ///
    /// Facts about a server id are returned even if its message has not arrived. Costs a step for each reaction ever
    /// given.
    ///
    /// - Parameters:
    ///   - message: The message, by either id.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func reactions(
        to message: MessageReference, in conversation: ConversationKey
    ) throws -> [Reaction] {
        var rows: [GivenReaction] = []
        try snapshot.forEachDetail(MessageDetails.reactions, of: message, in: conversation) { part, row in
            rows.append(GivenReaction(row: row, key: part.reaction, user: try snapshot.symbols.user(part.user)))
        }
        var set: (row: LatestValue<NoValue>, counts: [ReactionSummary])?
        try snapshot.forEachDetail(MessageDetails.reactionSets, of: message, in: conversation) { _, row in
            set = (row, try snapshot.countedReactions(at: Position(row.position)))
        }
        rows.sort { $0.precedes($1) }
        var reactions: [(key: [UInt8], place: ReactionPlace, users: [UserID])] = []
        for given in rows where given.row.isGiven {
            if let index = reactions.firstIndex(where: { $0.key == given.key }) {
                reactions[index].users.append(given.user)
            } else {
                reactions.append((given.key, (given.row.time, given.row.position), [given.user]))
            }
        }
        guard let set, !set.counts.isEmpty else {
            return reactions.map { Reaction(key: String(decoding: $0.key, as: UTF8.self), users: $0.users) }
        }
        return Self.counting(set.counts, reportedBy: set.row, rows, reactions)
    }

    /// The key-value pairs attached to a message.
    ///
    /// Facts about a server id are returned even if its message has not arrived.
    ///
    /// - Parameters:
    ///   - message: The message, by either id.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func metadata(
        of message: MessageReference, in conversation: ConversationKey
    ) throws -> [String: String] {
        var pairs: [String: String] = [:]
        try snapshot.forEachDetail(MessageDetails.metadata, of: message, in: conversation) { part, row in
            if row.isSet { pairs[part.key] = row.value.value }
        }
        return pairs
    }

    /// Reactions with the numbers that the server reported, raised and lowered by later changes.
    private static func counting(
        _ reported: [ReactionSummary], reportedBy set: LatestValue<NoValue>, _ rows: [GivenReaction],
        _ named: [(key: [UInt8], place: ReactionPlace, users: [UserID])]
    ) -> [Reaction] {
        var all = named
        for summary in reported where !named.contains(where: { $0.key == Array(summary.key.utf8) }) {
            all.append((Array(summary.key.utf8), (set.time, set.position), []))
        }
        all.sort { first, second in
            if first.place != second.place { return first.place < second.place }
            return first.key.lexicographicallyPrecedes(second.key)
        }
        return all.compactMap { key, _, users in
            let name = String(decoding: key, as: UTF8.self)
            guard let summary = reported.first(where: { Array($0.key.utf8) == key }) else {
                return Reaction(key: name, users: users)
            }
            var count = Int(summary.count ?? 0)
            for given in rows where given.key == key {
                count += given.row.change(since: set, isNamed: summary.users.contains(given.user))
            }
            count = max(count, users.count)
            return count > 0 ? Reaction(key: name, users: users, count: count) : nil
        }
    }
}

extension ViewSnapshot {
    /// The reactions that the snapshot of a message at a position reports with a number.
    fileprivate borrowing func countedReactions(at position: Position) throws -> [ReactionSummary] {
        let record = try record(at: position, namedBy: MessageDetails.reactionSets.viewTable)
        let event = try RecordDecoder(symbols: symbols, omitsContent: true).event(from: record)
        guard let reported = event.payload as? MessageSnapshotReceived else {
            throw StoreError.danglingRow(in: MessageDetails.reactionSets.viewTable, position: position)
        }
        return (reported.reactions ?? []).filter { $0.count != nil }
    }
}

/// When a reaction was given first by those who give it, and the position of that.
private typealias ReactionPlace = (time: Int64, position: UInt64)

/// A row of a reaction.
private struct GivenReaction {
    let row: ReactionRow
    let key: [UInt8]
    let user: UserID

    func precedes(_ other: GivenReaction) -> Bool {
        if (row.time, row.position) != (other.row.time, other.row.position) {
            return (row.time, row.position) < (other.row.time, other.row.position)
        }
        return key == other.key ? user < other.user : key.lexicographicallyPrecedes(other.key)
    }
}

extension Views {
    /// The name to show for a message's sender: this account's own remark, else the nickname in its conversation, else
    /// the profile's name, else the name that came with the message, else the id.
    ///
    /// In chat rooms, whose users have no fetched profiles, the name that came with the message comes first.
    ///
    /// - Parameter message: The message, as returned by a query.
    /// - Throws: `StoreError`.
    public borrowing func senderName(of message: Message) throws -> String {
        let carried = message.senderProfile?.name.flatMap { $0.isEmpty ? nil : $0 }
        if let carried, message.conversation.kind == .chatRoom { return carried }
        let known = try displayName(of: message.sender, in: message.conversation)
        return known == message.sender.rawValue ? carried ?? known : known
    }
}

/// A content that a message has or had.
public struct MessageVersion: Sendable, Hashable, Identifiable {
    /// The content; empty if it was redacted.
    public let content: MessageContent
    /// Since when the message says so: its own time, or the edit's, by the server's clock.
    public let time: Timestamp
    /// The event that recorded it: the message's own, a `MessageModified` or a `MessageSnapshotReceived`.
    public let position: Position
    /// How the store learned of that event.
    public let origin: Origin
    /// Whether the content was removed permanently.
    public let isRedacted: Bool

    /// The position of its event.
    public var id: Position { position }

    /// Creates a version, for previews and tests.
    public init(
        content: MessageContent, time: Timestamp, position: Position, origin: Origin = .live, isRedacted: Bool = false
    ) {
        self.content = content
        self.time = time
        self.position = position
        self.origin = origin
        self.isRedacted = isRedacted
    }
}

extension Views {
    /// The contents of a message: its original one, then its replacements, in the order of their times.
    ///
    /// The last version is what ``message(_:in:)`` shows. An edit that was recorded more than once, as by this device
    /// and by the server's echo, is there each time. There are no versions of messages that are not shown, were
    /// recalled, or have a filter's content in place of their sender's. Costs a seek, and a step and a record of the
    /// log for each version.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - conversation: Its conversation.
    ///   - last: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of versions, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func edits(
        of message: MessageReference, in conversation: ConversationKey, after last: PageCursor? = nil,
        limit: Int = 20
    ) throws -> Page<MessageVersion> {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation),
            let shown = try self.message(message, in: conversation), !shown.isRecalled, !shown.isReplaced
        else { return Page([]) }
        var versions: [MessageVersion] = []
        // Without one, nothing but the original was on the page before.
        var start: EditPart?
        if let last {
            let key: DetailKey<EditPart> = try last.key(.version)
            guard key.message.conversation == number else { throw PageCursor.mismatch }
            if key.part.position > .origin { start = key.part }
        } else {
            versions.append(try version(at: Position(shown.id.rawValue), shown.time))
        }
        let left = limit + 1 - versions.count
        for edit in try snapshot.edits(of: MessageName(shown), in: number, after: start, limit: left) {
            let time = Timestamp(milliseconds: Int64(clamping: edit.time))
            versions.append(try version(at: edit.position, time))
        }
        return Page(versions, limit: limit) { version in
            let isOriginal = version.position.rawValue == shown.id.rawValue
            let time = UInt64(clamping: version.time.milliseconds)
            let part = isOriginal ? EditPart() : EditPart(time: time, position: version.position)
            return PageCursor(.version, DetailKey(part, of: MessageName(shown), in: number))
        }
    }

    private borrowing func version(at position: Position, _ time: Timestamp) throws -> MessageVersion {
        let record = try snapshot.record(at: position, namedBy: MessageDetails.edits.viewTable)
        let decoder = RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.scope.isLentToProjection)
        return MessageVersion(
            content: try decoder.content(of: record), time: time, position: position, origin: record.origin,
            isRedacted: record.flags.contains(.isRedacted))
    }
}

extension Views {
    /// The part of a message's snapshot that the store does not know yet; nil if there is none.
    ///
    /// A host that fetches copies of messages records what this leaves, and so records nothing if nothing changed.
    /// Pages of a `HistoryProvider` are compared in this way. Of a message that the store does not have, everything is
    /// news. Costs a few point reads and a step for each reaction to the message, however many members sent receipts.
    ///
    /// - Parameters:
    ///   - reported: The snapshot.
    ///   - conversation: The conversation of its message.
    /// - Throws: `StoreError`.
    public borrowing func news(
        of reported: MessageSnapshotReceived, in conversation: ConversationKey
    ) throws -> MessageSnapshotReceived? {
        var news = reported
        if let number = try snapshot.symbols.number(of: conversation),
            let local = try snapshot.local(of: reported.message, in: number), local.rawValue <= position.rawValue,
            try snapshot.isMessage(local, in: number)
        {
            let state = try snapshot.row(Messages.states, local) ?? MessageState()
            news.keepNews(over: state, possibleFlags: try snapshot.possibleFlags(of: local))
            if let reactions = reported.reactions,
                Self.isSame(reactions, try self.reactions(to: reported.message, in: conversation))
            {
                news.reactions = nil
            }
            let (knownCounts, deliveredCount) = try receiptCounts(of: reported.message, in: conversation)
            if let known = knownCounts, let counts = reported.counts, counts == known || counts.read < known.read {
                news.counts = nil
            }
            if reported.deliveredCount ?? 0 <= deliveredCount ?? 0 { news.deliveredCount = nil }
        }
        return news.isEmpty ? nil : news
    }

    private static func isSame(_ reported: [ReactionSummary], _ known: [Reaction]) -> Bool {
        let reported = reported.filter { !$0.users.isEmpty || $0.count ?? 0 > 0 }
        return reported.count == known.count
            && reported.allSatisfy { summary in
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
