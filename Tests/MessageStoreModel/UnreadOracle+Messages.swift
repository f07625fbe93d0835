internal import MessageStore

extension UnreadOracle {
    /// A message as far as the log has told of it.
    struct Message {
        let entry: Entry
        let isOwn: Bool
        /// The ids of the server that mean it.
        let names: Set<ServerMessageID>
        /// Its place among the messages that a server knows; nil for one that waits, or that only this device shows.
        let place: Place?
        /// Whether the place's time is this device's (d39).
        var isProvisional = false
        let policy: MessagePolicy
        var context = MessageContext.none

        var id: UInt64 { entry.position }
        /// Whether its time is more than a day after its recording.
        var isAhead: Bool { place.map { $0.time > UnreadOracle.latestTime(of: entry) } ?? false }
        /// The same of a message of somebody else.
        var isFromFuture: Bool { isAhead && !isOwn }
        /// Its place for reading (d51).
        var readingPlace: Place? { isFromFuture ? place.map { $0.capped(by: entry) } : place }
        func mentions(_ user: UserID) -> Bool { context.mentionsEveryone || context.mentions.contains(user) }
    }
}

extension UnreadOracle.Conversation {
    typealias Message = UnreadOracle.Message
    typealias Place = UnreadOracle.Place

    /// Every message that was told, shown or not. An acknowledged message takes the place of its echo (d12).
    var messages: [Message] {
        let acknowledgements = self.acknowledgements
        let acknowledged = Set(acknowledgements.values.map(\.serverID))
        return entries.compactMap { entry in
            let names = Set(aliases(of: entry.position))
            switch entry.event.payload {
            case let received as MessageReceived where !acknowledged.contains(received.serverID):
                return Message(
                    entry: entry, isOwn: received.sender == account, names: names.union([received.serverID]),
                    place: Place(time: received.sentTime, id: received.serverID), policy: received.policy,
                    context: context(of: received, entry, names.union([received.serverID])))
            case let queued as MessageSendQueued:
                guard let sent = acknowledgements[entry.position] else {
                    return Message(entry: entry, isOwn: true, names: names, place: nil, policy: queued.policy)
                }
                let time = sent.sentTime ?? namedTime(of: entry.position, sent.serverID)
                return Message(
                    entry: entry, isOwn: true, names: names.union(acknowledgedNames(of: entry.position)),
                    place: Place(time: time ?? entry.recordedTime, id: sent.serverID), isProvisional: time == nil,
                    policy: queued.policy)
            case let line as MessageInsertedLocally:
                return Message(
                    entry: entry, isOwn: true, names: names, place: nil,
                    policy: MessagePolicy(countsUnread: false, updatesLastMessage: line.updatesLastMessage))
            default: return nil
            }
        }
    }

    /// What a message carries, with the mentions of its last edit that told them.
    private func context(
        of message: MessageReceived, _ arrival: UnreadOracle.Entry, _ names: Set<ServerMessageID>
    ) -> MessageContext {
        typealias Edit = (message: MessageReference, time: Timestamp, mentions: [UserID]?, everyone: Bool)
        var last: (time: Timestamp, position: UInt64)?
        var context = message.context
        for entry in entries {
            let edit: Edit
            switch entry.event.payload {
            case let body as MessageModified: edit = (body.message, body.time, body.mentions, body.mentionsEveryone)
            case let body as MessageSnapshotReceived:
                edit = (body.message, body.modifiedTime ?? .unknown, body.mentions, body.mentionsEveryone)
            default: continue
            }
            let isMeant =
                switch edit.message {
                case .local(let local): local.rawValue == arrival.position && entry.position > arrival.position
                case .server(let id): names.contains(id)
                }
            guard isMeant, edit.mentions != nil || edit.everyone else { continue }
            if let last, last > (edit.time, entry.position) { continue }
            last = (edit.time, entry.position)
            (context.mentions, context.mentionsEveryone) = (edit.mentions ?? [], edit.everyone)
        }
        return context
    }

    /// The first acknowledgement of each queued message.
    private var acknowledgements: [UInt64: MessageSent] {
        var first: [UInt64: MessageSent] = [:]
        for entry in entries {
            guard let sent = entry.event.payload as? MessageSent, first[sent.message.rawValue] == nil,
                entries.contains(where: {
                    $0.position == sent.message.rawValue && $0.position < entry.position
                        && $0.event.payload is MessageSendQueued
                })
            else { continue }
            first[sent.message.rawValue] = sent
        }
        return first
    }

    /// The ids under which a message was acknowledged (d12).
    private func acknowledgedNames(of id: UInt64) -> [ServerMessageID] {
        entries.compactMap { entry in
            guard let sent = entry.event.payload as? MessageSent, sent.message.rawValue == id else { return nil }
            return sent.serverID
        }
    }

    /// The ids under which a message came again (d12).
    private func aliases(of id: UInt64) -> [ServerMessageID] {
        entries.compactMap { entry in
            guard let repeated = entry.event.payload as? MessageDuplicateSuppressed else { return nil }
            return repeated.duplicateOf?.rawValue == id ? repeated.serverID : nil
        }
    }

    /// The server's time of a message whose acknowledgement told none: that of a copy, or of what the server says (d39).
    private func namedTime(of id: UInt64, _ serverID: ServerMessageID) -> Timestamp? {
        entries.lazy.compactMap { entry -> Timestamp? in
            switch entry.event.payload {
            case let copy as MessageReceived where copy.serverID == serverID: return copy.sentTime
            // Of another message that was acknowledged under the same id; a second acknowledgement is one more name alone.
            case let sent as MessageSent where sent.serverID == serverID:
                return acknowledgements[sent.message.rawValue]?.serverID == serverID ? sent.sentTime : nil
            case let told as MessageSnapshotReceived
            where told.message == .server(serverID) || told.message == .local(LocalMessageID(id)):
                return told.sentTime
            default: return nil
            }
        }.first
    }

    /// The newest place of a message that is shown, by the server's time, as an event sees it, without messages from the
    /// future; and whether there are any of them.
    func newestMessage(at entry: UnreadOracle.Entry) -> (place: Place?, isBelowAhead: Bool) {
        let known = messages.filter { message in
            !message.isProvisional && message.place != nil && isShown(message)
                && !entries.contains { $0.position < entry.position && wasAheadWhenCleared(message, by: $0) }
        }
        let told = known.filter { message in
            !message.isFromFuture && !wasAheadWhenCleared(message, by: entry)
                && message.place.map { $0.time <= UnreadOracle.latestTime(of: entry) } ?? false
        }
        return (told.compactMap(\.place).max(), told.count < known.count)
    }

    /// Whether an event cleared the whole history when a message from the future was there (d51).
    func wasAheadWhenCleared(_ message: Message, by entry: UnreadOracle.Entry) -> Bool {
        guard let target = Self.clearing(by: entry), target == nil else { return false }
        return message.isAhead && message.id < entry.position
    }

    /// Up to where an event clears the history: `.some(nil)` for all of it; nil where it does not.
    static func clearing(by entry: UnreadOracle.Entry) -> Place?? {
        switch entry.event.payload {
        case let cleared as HistoryCleared:
            .some(cleared.upTo.flatMap { $0.time > UnreadOracle.latestTime(of: entry) ? nil : Place($0) })
        case let deleted as ConversationDeleted where deleted.alsoMessages: .some(nil)
        default: nil
        }
    }

    /// The events that name a message, before or after it came.
    private func entries(about message: Message) -> [UnreadOracle.Entry] {
        entries.filter { entry in
            Self.references(of: entry.event).contains { reference in
                switch reference {
                case .local(let local): local.rawValue == message.id && entry.position > message.id
                case .server(let id): message.names.contains(id)
                }
            }
        }
    }

    private static func references(of event: Event) -> [MessageReference] {
        switch event.payload {
        case let deleted as MessagesDeleted: deleted.messages
        case let flags as MessageStatusFlagsSet: flags.messages
        case let recalled as MessageRecalled: [recalled.message]
        case let filtered as MessageFiltered: [filtered.message]
        case let told as MessageSnapshotReceived: [told.message]
        default: []
        }
    }

    /// Whether a message is shown: not deleted, no repeat, and what the filter's last verdict says, else its list of those who
    /// may see it. What was cleared is below the marker, and is not asked for here.
    func isShown(_ message: Message) -> Bool {
        !isDeleted(message) && !isForgotten(message) && !isRepeat(message) && isVisible(message)
    }

    func isDeleted(_ message: Message) -> Bool {
        entries(about: message).contains { $0.event.payload is MessagesDeleted }
    }

    /// Whether its chat room was left since the server last reported anything of a message or a repeat of it; one that waits for
    /// the server stays.
    func isForgotten(_ message: Message) -> Bool {
        guard entries.contains(where: { $0.event.payload is ChatRoomLeft }) else { return false }
        let same = messages.filter { $0.id == message.id || !$0.names.isDisjoint(with: message.names) }
        let told = same.flatMap { entries(about: $0) }.filter { $0.event.payload is MessageSnapshotReceived }
            .map(\.position).max()
        let sent = entries.first { ($0.event.payload as? MessageSent)?.message.rawValue == message.id }
        let isQueued = message.entry.event.payload is MessageSendQueued
        let start = max(message.id, told ?? 0, isQueued ? sent?.position ?? .max : 0)
        return entries.contains { ($0.event.payload as? ChatRoomLeft)?.purges == true && $0.position > start }
    }

    /// Whether neither a filter nor its list of those who may see it hides a message.
    func isVisible(_ message: Message) -> Bool {
        for entry in entries(about: message).reversed() {
            switch (entry.event.payload as? MessageFiltered)?.verdict {
            case .keep, .replace: return true
            case .hide: return false
            default: continue
            }
        }
        // Between two people a list hides nothing (A30).
        let isBetweenTwo = message.entry.event.conversation?.kind == .single
        return isBetweenTwo || message.isOwn || message.context.visibleTo.map { $0.contains(account) } ?? true
    }

    private func isRepeat(_ message: Message) -> Bool {
        guard let received = message.entry.event.payload as? MessageReceived else { return false }
        let verdicts = entries.compactMap { $0.event.payload as? MessageDuplicateSuppressed }
        return verdicts.last { $0.serverID == received.serverID }?.duplicateOf != nil
    }

    /// Whether a message counts while it stands above what was read (d5).
    func isCountable(_ message: Message) -> Bool {
        guard !message.isOwn, message.policy.countsUnread, isShown(message) else { return false }
        if (message.entry.event.payload as? MessageReceived)?.flags?.contains(.read) == true { return false }
        return !entries(about: message).contains { entry in
            switch entry.event.payload {
            case is MessageRecalled: true
            case let set as MessageStatusFlagsSet: set.flags.contains(.read)
            case let told as MessageSnapshotReceived: told.isRecalled || told.flags?.contains(.read) == true
            default: false
            }
        }
    }
}
