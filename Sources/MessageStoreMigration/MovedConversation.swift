/// A conversation whose rows were read; makes events of them, and compares them with the store.
struct MovedConversation {
    let key: ConversationKey
    private var row: OldConversation?
    /// The newest place that the store had before.
    private let newestBefore: MessageOrder?
    private let isNamed: Bool

    private var messages = 0
    /// The rows that have the id of an earlier one and say something else.
    var conflicts = 0
    private let draft: (text: String?, time: Timestamp)?
    /// The messages that are unread by what the rows say.
    private var unread = 0
    private var last: (order: MessageOrder, position: Position)?
    /// The ends of what the server sent.
    private var ends: (oldest: MessageOrder, newest: MessageOrder)?
    /// Up to where the conversation is read, if the rows say it or it was found.
    private var place: MessageOrder?

    init(_ key: ConversationKey, _ store: MessageStore) throws {
        self.key = key
        (newestBefore, isNamed, draft) = try store.read { views in
            let newest = try views.timeline(of: key, limit: 1).elements.last
            let known = try views.conversation(key)
            let draft = known?.draftTime.map { (known?.draft, $0) }
            return (newest.map { $0.order ?? MessageOrder(time: $0.time) }, known?.name != nil, draft)
        }
    }

    /// Whether nothing but the messages themselves says which of them are read.
    private var isSilent: Bool { row.map { $0.readUpTo == nil && $0.unreadCount ?? 0 == 0 } ?? true }

    // MARK: Events

    mutating func events(of row: OldRow, for account: UserID) throws -> [Event] {
        switch row {
        case .conversation(let conversation):
            if let place = conversation.readUpTo, place.time == .unknown, place.id != nil {
                throw StoreError(.invalidArgument, "the last message read has no time")
            }
            self.row = conversation
            place = conversation.readUpTo
            return events(of: conversation)
        case .message(let message): return try events(of: message, isOwn: message.sender == account)
        }
    }

    private func events(of row: OldConversation) -> [Event] {
        var events: [Event] = []
        // The ids are made of the row's numbers, whatever of it the store needs.
        func add(_ payload: any ConversationPayload, _ said: Any) {
            events.append(Event(payload, in: key, id: .migrated("conversation", key, said), origin: .history))
        }
        if !isNamed, row.fields != ConversationFields() {
            // Not even a hash of a name should stay.
            add(ConversationSnapshotReceived(row.fields), "fields")
        }
        // The read place, or the number, is there before the messages, so that none of them is counted meanwhile.
        if let place = row.firstPlace { add(ConversationRead(upTo: place), place) }
        var summary = ConversationSummaryReceived(
            activity: row.activity ?? .unknown, isPinned: row.isPinned ? true : nil, isMuted: row.isMuted ? true : nil,
            isMarkedUnread: row.isMarkedUnread ? true : nil, isArchived: row.isArchived ? true : nil)
        let said = (summary, row.unreadCount)
        let isAhead = newestBefore.map { $0.time < row.activity ?? .unknown } ?? true
        if row.readUpTo == nil, let count = row.unreadCount, count > 0, isAhead { summary.unread = .init(count) }
        add(summary, said)
        // A later draft of the store stays, and one that was sent or removed there does not come back.
        let time = row.draftTime ?? row.activity
        if let text = row.draft,
            draft.map({ known in known.text != text && time.map { known.time <= $0 } ?? false }) ?? true
        {
            let id = draft == nil ? EventID.migrated("draft", key, time ?? .unknown) : nil
            events.append(Event(ConversationDraftChanged(text, at: time), in: key, id: id))
        }
        return events
    }

    private func events(of message: OldMessage, isOwn: Bool) throws -> [Event] {
        guard let serverID = message.serverID else {
            // Nobody else knows of it.
            return message.isDeleted || message.isRecalled ? [] : [try event(ofLocal: message, isOwn: isOwn)]
        }
        var events: [Event] = []
        // Their ids have no text in them, because not even a hash of it should stay.
        func add(_ payload: any ConversationPayload, at time: Timestamp = .unknown) {
            let id = EventID.migrated("\(payload.eventType)", key, serverID, time)
            events.append(Event(payload, in: key, id: id, origin: .history))
        }
        if message.isDeleted {
            add(MessagesDeleted([.server(serverID)]))
            return events
        }
        let isRead = message.isRead ?? isSilent
        let received = MessageReceived(
            serverID: serverID, sender: message.sender, sentTime: message.time,
            content: message.isRecalled ? MessageContent(type: message.content.type) : message.content,
            clientToken: isOwn ? message.localID.map { ClientToken($0) } : nil, policy: message.policy,
            context: message.context, senderProfile: message.senderName.map { SenderProfile(name: $0) },
            flags: !isOwn && isRead ? .read : nil)
        events.append(Event(received, in: key, origin: .history))
        if let time = message.editedTime, !message.isRecalled {
            add(MessageSnapshotReceived(.server(serverID), content: message.content, modifiedTime: time), at: time)
        }
        if message.isRecalled { add(MessageRecalled(.server(serverID))) }
        if isOwn, message.status >= .delivered {
            add(MessageStatusOverridden(.server(serverID), status: message.status))
        }
        return events
    }

    private func event(ofLocal message: OldMessage, isOwn: Bool) throws -> Event {
        guard let id = message.localID, !id.isEmpty else {
            throw StoreError(.invalidArgument, "the message has no id by which it would be known again")
        }
        if isOwn, message.status == .sending || message.status == .failed {
            return Event(
                MessageSendQueued(
                    content: message.content, clientToken: ClientToken(id), context: message.context,
                    policy: message.policy),
                in: key)
        }
        let line = MessageInsertedLocally(
            content: message.content, sender: message.sender, time: message.time,
            updatesLastMessage: message.policy.updatesLastMessage)
        return Event(line, in: key, id: .migrated("line", key, id))
    }

    private func markedRead(upTo place: MessageOrder) -> Event {
        Event(ConversationRead(upTo: place), in: key, id: .migrated("read", key, place), origin: .history)
    }

    /// The events that are recorded once all messages are there.
    var closingEvents: [Event] {
        var events: [Event] = []
        if row?.isContiguous == true, let ends {
            let page = HistoryPageLoaded(newest: ends.newest, oldest: ends.oldest)
            events.append(Event(page, in: key, id: .migrated("page", key, page), origin: .history))
        }
        if row?.readUpTo == nil, let place {
            events.append(markedRead(upTo: place))
            // Reading took the mark away.
            if row?.isMarkedUnread == true {
                let id = EventID.migrated("mark", key, place)
                events.append(Event(ConversationMarkedUnread(true), in: key, id: id, origin: .history))
            }
        }
        return events
    }

    // MARK: Counting

    /// Counts a message that was recorded, or known, at a position.
    mutating func count(_ message: OldMessage, at position: Position, for account: UserID) {
        messages += 1
        let isUnsent =
            message.serverID == nil && message.sender == account && message.status != .received
            && message.status < .sent
        let order = MessageOrder(time: isUnsent ? .latest : message.time, id: message.serverID)
        if message.policy.updatesLastMessage, last.map({ $0.order < order || $0.order == order }) ?? true {
            last = (order, position)
        }
        guard message.serverID != nil else { return }
        ends = (min(ends?.oldest ?? order, order), max(ends?.newest ?? order, order))
        guard message.sender != account, message.policy.countsUnread, !message.isRecalled else { return }
        if let place = row?.readUpTo {
            if place < order, message.isRead != true { unread += 1 }
        } else if message.isRead == false {
            unread += 1
        }
    }

    /// Finds the place below the unread messages, if it is not known: the newest ones that this migration recorded.
    mutating func findPlace(_ views: borrowing Views, _ moved: PositionSet) throws {
        guard row?.readUpTo == nil else { return }
        var left = row?.unreadCount.map { Int($0) } ?? unread
        var oldest: MessageOrder?
        try views.forEachMessage(of: key) { message in
            guard moved.contains(Position(message.id.rawValue)), message.serverID != nil, let order = message.order
            else { return true }
            guard left > 0 else {
                place = order
                return false
            }
            if message.isUnreadByItself {
                left -= 1
                oldest = order
            }
            return true
        }
        // Nothing is below: the place is just before the oldest.
        if place == nil, left == 0, let time = oldest?.time.milliseconds, time > 0 {
            place = MessageOrder(time: Timestamp(milliseconds: time - 1))
        }
    }

    /// Compares the rows with the store.
    func compared(with views: borrowing Views, _ moved: PositionSet) throws -> MigratedConversation {
        var (shown, others) = (0, 0)
        try views.forEachMessage(of: key) { message in
            if moved.contains(Position(message.id.rawValue)) {
                shown += 1
            } else if message.isUnreadByItself, message.isRead == false {
                others += 1
            }
            return true
        }
        let newest = try views.conversation(key)?.lastMessage
        let isLastNewer = newest.map { newest in
            !moved.contains(Position(newest.id.rawValue)) && last.map { $0.order.time <= newest.time } ?? true
        }
        var result = MigratedConversation(
            key: key, messages: messages, shownMessages: shown, reportedMessages: row?.messageCount,
            isLastMessageShown: isLastNewer == true || newest?.id.rawValue == last?.position.rawValue,
            unread: row?.unreadCount.map { Int($0) } ?? unread,
            shownUnread: try views.unread(of: key).messages - others, conflicts: conflicts)
        // Whoever has read since in the new store has less unread.
        if let marker = try views.readMarker(of: key), let read = place ?? ends?.newest, read < marker {
            result.isReadSince = true
        }
        return result
    }
}

extension OldConversation {
    /// The read place to begin with: that of the row, or where nothing is unread the end.
    fileprivate var firstPlace: MessageOrder? {
        readUpTo ?? (unreadCount == 0 ? activity.map { MessageOrder(time: $0) } : nil)
    }
}

extension Message {
    /// Whether it counts as unread where it is above the read marker.
    fileprivate var isUnreadByItself: Bool { !isOutgoing && countsUnread && !isRecalled && !flags.contains(.read) }
}

extension Views {
    /// Calls `body` with the messages of a conversation, newest first, until it returns false.
    fileprivate borrowing func forEachMessage(
        of conversation: ConversationKey, _ body: (Message) throws -> Bool
    ) throws {
        var part = TimelinePart.latest
        while true {
            let page = try timeline(of: conversation, part, limit: 500)
            for message in page.elements.reversed() where try !body(message) { return }
            guard page.hasOlder, let oldest = page.elements.first else { return }
            part = .before(.message(.local(oldest.id)))
        }
    }
}
