@_spi(Storage) public import MessageStoreLog

extension Views {
    /// A page of the conversation list: pinned first, then by latest activity.
    ///
    /// Chat rooms and deleted conversations are not in it. Costs a few point reads for each conversation that changed
    /// since it was read last, independent of the store's size, and nothing for conversations that `archived` leaves
    /// out; with `kinds`, conversations of other kinds are skipped one by one.
    ///
    /// - Parameters:
    ///   - kinds: Only conversations of these kinds, by ``Conversation/kind``; nil for all.
    ///   - archived: Whether conversations in the archive are listed.
    ///   - cursor: The end of the page before, with the same `archived`; nil for the first page.
    ///   - limit: The maximum number of conversations, 1 to 1000.
    /// - Throws: `StoreError`.
    public borrowing func conversations(
        kinds: Set<ConversationKind>? = nil, archived: ArchivedConversations = .excluded,
        after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Conversation> {
        try conversations(kinds: kinds, archived: archived, after: cursor, limit: limit, where: nil)
    }

    /// The same of the conversations that `isWanted` answers true to; nil for all.
    package borrowing func conversations(
        kinds: Set<ConversationKind>?, archived: ArchivedConversations, after cursor: PageCursor?, limit: Int,
        where isWanted: ((Conversation) -> Bool)?
    ) throws -> Page<Conversation> {
        try Self.check(limit: limit)
        var conversations: [Conversation] = []
        conversations.reserveCapacity(limit)
        var last = ListKey()
        let start: ListKey = try cursor?.key(.list) ?? ListKey(archived == .only ? .pinnedArchived : .pinned)
        guard archived != .only || start.rank.isArchived else { throw PageCursor.mismatch }
        let wanted = kinds.map { KindSet($0) }
        var rows = try snapshot.rows(ConversationList.order, from: start)
        while let key = try rows.nextListed(of: wanted, includesArchive: archived != .excluded) {
            if cursor != nil, key == start { continue }
            if conversations.count == limit, isWanted == nil {
                return Page(conversations, next: PageCursor(.list, last))
            }
            guard let kept = try kept(key.conversation) else { continue }
            if let isWanted, !isWanted(kept.conversation) { continue }
            if conversations.count == limit { return Page(conversations, next: PageCursor(.list, last)) }
            conversations.append(kept.conversation)
            try endMuting(&conversations[conversations.count - 1])
            last = key
        }
        return Page(conversations)
    }

    /// One conversation, listed or not; nil if nothing is known of it that a list would show.
    ///
    /// - Throws: `StoreError`.
    public borrowing func conversation(_ key: ConversationKey) throws -> Conversation? {
        guard let number = try snapshot.symbols.number(of: key) else { return nil }
        return try conversation(number)
    }

    /// Every conversation that an event of the log names, known or not, in the order of their first events.
    package borrowing func everyConversation() throws -> [ConversationKey] {
        try snapshot.symbols.allConversations()
    }

    borrowing func conversation(_ number: ConversationNumber) throws -> Conversation? {
        guard var conversation = try kept(number)?.conversation else { return nil }
        try endMuting(&conversation)
        return conversation
    }

    /// The same as ``conversation(_:)``, whatever is kept.
    package borrowing func assembledConversation(_ key: ConversationKey) throws -> Conversation? {
        guard let number = try snapshot.symbols.number(of: key), var conversation = try assembledConversation(number)
        else { return nil }
        try endMuting(&conversation)
        return conversation
    }

    private borrowing func kept(_ number: ConversationNumber) throws -> KeptConversation? {
        try snapshot.kept(number) { try assembledConversation(number) }
    }

    /// Compares limited mutes with the clock, which nothing that is kept depends on.
    private borrowing func endMuting(_ conversation: inout Conversation) throws {
        if conversation.mutedUntil != nil { conversation.endMuting(at: try snapshot.time()) }
    }

    /// How often a conversation that was kept was handed out again, by all reads since the ``RowHistory`` began.
    package var reusedConversations: Int { snapshot.scope.history?.kept.reuseCount ?? 0 }

    private borrowing func assembledConversation(_ number: ConversationNumber) throws -> Conversation? {
        guard let row = try snapshot.row(ConversationList.conversations, number) else { return nil }
        let key = try snapshot.symbols.conversation(number)
        let info = try snapshot.row(ConversationList.info, number) ?? ConversationInfo()
        let kind = row.conversationKind
        let team = kind == .single ? nil : try snapshot.row(TeamInfo.table, number)?.info
        let person = try snapshot.counterpart(in: number, key, kind)
        let picture = try info.avatarURL.shown ?? team?.avatarURL ?? snapshot.avatarURL(of: person)
        var conversation = Conversation(
            key: key,
            kind: kind,
            name: info.name,
            displayName: try info.name.shown ?? team?.name.shown ?? snapshot.name(of: person) ?? key.id,
            peer: person?.peer,
            creator: info.creator == .none ? nil : try snapshot.symbols.user(info.creator),
            avatarURL: picture ?? info.avatarURL,
            attributes: info.attributes ?? [],
            indexedAttributes: info.indexed,
            tags: info.tags,
            notificationLevel: row.muting.level,
            mutedUntil: row.mutedUntil == 0 ? nil : Timestamp(milliseconds: Int64(clamping: row.mutedUntil)),
            isHidden: !row.isListed,
            activity: row.activity == 0 ? nil : Timestamp(milliseconds: Int64(clamping: row.activity)),
            lastMessage: try preview(LocalMessageID(row.lastMessage), in: number, key, kind),
            draft: try draft(row.draftPosition),
            draftTime: row.draftPosition == 0 ? nil : Timestamp(milliseconds: Int64(clamping: row.draftTime)),
            unread: try unread(number),
            memberCount: Int(try snapshot.memberCount(of: number)))
        conversation.take(row.flags)
        return conversation
    }

    private borrowing func preview(
        _ local: LocalMessageID, in conversation: ConversationNumber, _ key: ConversationKey, _ kind: ConversationKind
    ) throws -> MessagePreview? {
        guard local.rawValue != 0 else { return nil }
        let record = try snapshot.record(
            at: Position(local.rawValue), namedBy: ConversationList.conversations.viewTable)
        guard record.type.isMessage else {
            throw StoreError.danglingRow(in: ConversationList.conversations.viewTable, position: record.position)
        }
        let state = try snapshot.row(Messages.states, local) ?? MessageState()
        guard Messages.isShown(record, state) else { return nil }
        let (content, isRedacted) = try content(of: record, state)
        let isRecalled = state.flags.contains(.isRecalled)
        let sender = try snapshot.symbols.user(record.actorNumber)
        return MessagePreview(
            id: local,
            serverID: serverID(of: record, state),
            conversation: key,
            sender: sender,
            senderName: try snapshot.shownName(of: record.actorNumber, in: kind == .single ? nil : conversation)
                ?? sender.rawValue,
            isOutgoing: record.flags.contains(.isOutgoing),
            contentType: content.type,
            content: isRecalled || isRedacted ? nil : content,
            time: serverTime(of: record, state) ?? record.now,
            status: try status(of: record, state),
            isRecalled: isRecalled)
    }

    /// The unsent message of a conversation, or of a thread in it; nil if there is none. Costs some point reads.
    ///
    /// - Parameter thread: The server's id of the message that begins the thread.
    /// - Throws: `StoreError`.
    public borrowing func draft(in conversation: ConversationKey, thread: ServerMessageID? = nil) throws -> Draft? {
        guard let number = try snapshot.symbols.number(of: conversation) else { return nil }
        let setting = thread.map { Setting.threadDraft(Array($0.rawValue.utf8)) } ?? Setting(kind: .draft)
        let row = try snapshot.row(Settings.times, SettingKey(conversation: number, setting: setting))
        return try row.flatMap { try draft($0) }
    }

    /// The unsent messages of a conversation's threads, by the server's ids of the messages that begin them. Costs a
    /// step for each thread that has had one since the conversation was deleted last, and some point reads for each draft.
    ///
    /// - Throws: `StoreError`.
    public borrowing func threadDrafts(in conversation: ConversationKey) throws -> [ServerMessageID: Draft] {
        guard let number = try snapshot.symbols.number(of: conversation) else { return [:] }
        var drafts: [ServerMessageID: Draft] = [:]
        let all = SettingKey(conversation: number, setting: .threadDraft())
        for (key, row) in try snapshot.allRows(Settings.times, under: all) {
            drafts[ServerMessageID(String(decoding: key.setting.id, as: UTF8.self))] = try draft(row)
        }
        return drafts
    }

    /// The row has the position of the event that holds the draft, or 0.
    private borrowing func draft(_ row: SettingRow) throws -> Draft? {
        guard row.value != 0 else { return nil }
        let record = try snapshot.record(at: Position(row.value), namedBy: Settings.times.viewTable)
        let decoder = RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.scope.isLentToProjection)
        return (try decoder.event(from: record).payload as? ConversationDraftChanged)?.draft
    }

    private borrowing func draft(_ position: UInt64) throws -> String? {
        guard position != 0 else { return nil }
        let record = try snapshot.record(at: Position(position), namedBy: ConversationList.conversations.viewTable)
        guard !snapshot.scope.isLentToProjection else { return nil }
        var reader = FieldReader(record.content)
        while let field = reader.next() {
            if field.id == 1 { return field.string }
        }
        return nil
    }
}

extension String? {
    /// The string; nil if it is empty, which services write for "none".
    var shown: String? { self?.isEmpty == true ? nil : self }
}
