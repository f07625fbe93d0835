extension MatrixRoom {
    mutating func apply(timeline event: MatrixEvent) throws {
        switch event.type {
        case "m.reaction": apply(reaction: event)
        case "m.room.redaction": try apply(redaction: event)
        default: if event.isEdit { try apply(edit: event) } else { try apply(message: event) }
        }
    }

    private mutating func apply(message event: MatrixEvent) throws {
        // An edit that was redacted has lost its relation; the log knows it.
        if event.isRedacted, try change(event.id) != nil { return }
        guard let content = MatrixContent(event.content, of: event.type, isRedacted: event.isRedacted) else {
            return skip(.missingField)
        }
        let transaction = event.sender == account ? event.unsigned?["transaction_id"]?.string : nil
        let received = MessageReceived(
            serverID: ServerMessageID(event.id), sender: event.sender, sentTime: event.time, content: content.message,
            clientToken: try transaction.flatMap { try echoedToken($0) }, policy: content.policy,
            context: content.context)
        let isElsewhere = origin == .live && event.sender == account && transaction == nil
        add(Event(received, in: key, origin: isElsewhere ? .otherDevice : origin))
        if let because = event.unsigned?["redacted_because"] {
            let recalled = MessageRecalled(
                .server(received.serverID), by: because["sender"]?.string.map { UserID($0) },
                reason: because["content"]?["reason"]?.string)
            add(recalled, id: because["event_id"]?.string ?? event.id, "redaction")
        } else if let edit = event.unsigned?["m.relations"]?["m.replace"].flatMap({ MatrixEvent($0) }) {
            try apply(edit: edit)
        }
    }

    /// The token of the message that this store queued and an event of the account echoes.
    ///
    /// A transaction id is one of a device and a room, and another device may use it as well.
    private mutating func echoedToken(_ transaction: String) throws -> ClientToken? {
        let token = ClientToken(transaction)
        guard transaction.isIdentifier, !echoes.contains(transaction),
            try rules.store.read({ try $0.awaitsEcho(token, of: account, in: key) })
        else { return nil }
        echoes.insert(transaction)
        return token
    }

    /// The new content is in a place of its own, except if it is encrypted. Servers pass on edits by others, which do
    /// not count; with a message that is not known yet they report the edits that do.
    private mutating func apply(edit event: MatrixEvent) throws {
        let isEncrypted = event.type == "m.room.encrypted"
        guard let target = event.relation?["event_id"]?.string,
            let new = isEncrypted ? event.content : event.content["m.new_content"],
            let content = MatrixContent(new, of: event.type)
        else { return skip(.missingField) }
        guard try sender(of: target) == event.sender else { return skip(.foreignEdit) }
        let modified = MessageModified(.server(ServerMessageID(target)), content: content.message, at: event.time)
        changes[event.id] = modified
        add(modified, of: event, "edit")
    }

    private mutating func apply(reaction event: MatrixEvent) {
        // A reaction that was taken back has lost its content.
        guard !event.isRedacted else { return }
        guard event.relation?["rel_type"]?.string == "m.annotation", let target = event.relation?["event_id"]?.string,
            let key = event.relation?["key"]?.string
        else { return skip(.missingField) }
        let reaction = ReactionAdded(.server(ServerMessageID(target)), key: key, by: event.sender, at: event.time)
        changes[event.id] = reaction
        add(reaction, of: event, "reaction")
    }

    private mutating func apply(redaction event: MatrixEvent) throws {
        guard let target = event.redacts else { return skip(.missingField) }
        let change = try change(target)
        if let reaction = change as? ReactionAdded {
            let removed = ReactionRemoved(reaction.message, key: reaction.key, by: reaction.user, at: event.time)
            return add(removed, of: event, "redaction")
        }
        if let edit = change as? MessageModified, let content = try content(without: edit) {
            add(MessageModified(edit.message, content: content, at: event.time), of: event, "restored")
        }
        // Of a message that is not known yet, too: a page of history may have been asked for before. The recall of an
        // edit shows nothing, and a later redaction of another edit looks for it.
        let recalled = MessageRecalled(
            .server(ServerMessageID(target)), by: event.sender, reason: event.content["reason"]?.string)
        add(recalled, of: event, "redaction")
    }

    /// The reaction or edit that an event of this response or an earlier one was.
    private func change(_ event: String) throws -> (any EventPayload)? {
        if let change = changes[event] { return change }
        guard senders[event] == nil else { return nil }
        return try rules.store.read { views in
            for part in ["reaction", "edit"] {
                if let found = try views.event(id: Self.eventID(key.id, event, part)) { return found.event.payload }
            }
            return nil
        }
    }

    /// The content of a message once an edit of it is redacted: that of the last version before it whose own edit was
    /// not redacted, by the log or now; nil if the message does not show the edit. Costs a scan of the log.
    private func content(without edit: MessageModified) throws -> MessageContent? {
        var ids = Set(redacted.map { Self.eventID(key.id, $0, "edit") })
        try rules.store.forEachEvent(where: EventFilter(types: [.messageRecalled], conversation: key)) { recorded in
            if case .server(let id)? = (recorded.event.payload as? MessageRecalled)?.message {
                ids.insert(Self.eventID(key.id, id.rawValue, "edit"))
            }
            return true
        }
        var versions = try rules.store.read { views in
            try views.edits(of: edit.message, in: key, limit: 1000).elements.map { version in
                (version.content, version.time, try views.event(at: version.position)?.event.id)
            }
        }
        for event in events {
            switch event.payload {
            case let message as MessageReceived where edit.message == .server(message.serverID):
                versions.append((message.content, message.sentTime, nil))
            case let other as MessageModified where other.message == edit.message:
                versions.append((other.content, other.time, event.id))
            default: break
            }
        }
        versions.sort { $0.1 < $1.1 }
        guard versions.last?.0 == edit.content else { return nil }
        let gone = versions.filter { $0.2.map(ids.contains) == true }.map(\.0)
        return versions.last { $0.1 < edit.time && $0.0 != edit.content && !gone.contains($0.0) }?.0
    }
}

extension MatrixRoom {
    mutating func apply(accountData value: JSONValue) throws {
        let content = value["content"]
        switch value["type"]?.string {
        case "m.tag":
            guard let tags = content?["tags"]?.object else { return skip(.missingField) }
            try setTags(Set(tags.keys))
        case "m.marked_unread":
            guard let isMarked = content?["unread"]?.bool else { return skip(.missingField) }
            add(ConversationMarkedUnread(isMarked), id: cursor, "marked")
        default: skip(.accountData)
        }
    }

    /// The server reports all tags; only changes are recorded in the store.
    private mutating func setTags(_ tags: Set<String>) throws {
        let before = Set(try rules.store.read { try $0.conversation(key)?.tags } ?? [])
        guard tags != before else { return }
        let tagged = ConversationTagged(
            add: tags.subtracting(before).sorted(), remove: before.subtracting(tags).sorted())
        add(tagged, id: cursor, "tags")
        let favourite = "m.favourite"
        guard tags.contains(favourite) != before.contains(favourite) else { return }
        add(ConversationPinned(tags.contains(favourite)), id: cursor, "pinned")
    }

    mutating func apply(ephemeral value: JSONValue) throws {
        guard value["type"]?.string == "m.receipt" else { return skip(value == .null ? .missingField : .ephemeral) }
        for receipt in MatrixReceipt.all(of: value) {
            if receipt.user == account { ownReceipts.append(receipt) }
            if receipt.isOfThread { skip(.threadReceipt) } else { try apply(receipt) }
        }
    }

    /// A receipt covers the event and all before it, as far as the event's place is known.
    private mutating func apply(_ receipt: MatrixReceipt) throws {
        let (event, user) = (receipt.event, receipt.user)
        let place = try places[event] ?? rules.place(of: event, in: key)
        if user == account {
            guard let place else { return skip(.unknownReceipt) }
            readUpTo = max(readUpTo ?? place, place)
            return add(ConversationRead(upTo: place), id: event, "read", at: receipt.time)
        }
        let scope = place.map { ReceiptScope.upTo($0.time) } ?? .messages([.server(ServerMessageID(event))])
        add(MessageReadByPeer(scope, by: user, at: receipt.time), id: event, "read \(user)", at: receipt.time)
    }

    /// The server's own count, up to the last message that it sent along: a reaction or an edit after it cannot be read.
    ///
    /// Without a message the count is that of this moment, and so it is where something that is known has a later place:
    /// the order in which a server counts is not that of the senders' clocks.
    mutating func report(_ counts: MatrixCounts, _ timeline: [MatrixEvent]) throws {
        var counts = counts
        let last = timeline.lastIndex(where: \.isMessage)
        for receipt in ownReceipts where !receipt.isOfThread {
            guard let index = timeline.lastIndex(where: { $0.id == receipt.event }), index >= last ?? 0 else {
                continue
            }
            counts.read(by: receipt)
        }
        let place = try last.map { timeline[$0].place }.flatMap { try isNewest($0) ? $0 : nil }
        let reported = UnreadCountReported(counts.messages, mentions: counts.mentions, upTo: place, at: place?.time)
        add(reported, id: cursor, "unread", at: place?.time ?? .unknown)
    }

    /// Whether a message is above the read place, and neither a message nor a count of the room has a later place.
    private func isNewest(_ place: MessageOrder) throws -> Bool {
        var known = places.values.filter { senders[$0.id?.rawValue ?? ""] != nil }
        var read = readUpTo.map { [$0] } ?? []
        try rules.store.read { views in
            let unread = try views.unread(of: key)
            read += unread.readUpTo.map { [$0] } ?? []
            known += unread.report?.upTo.map { [$0] } ?? []
            if let last = try views.conversation(key)?.lastMessage, let id = last.serverID {
                known.append(MessageOrder(time: last.time, id: id))
            }
        }
        return known.allSatisfy { $0 <= place } && read.allSatisfy { $0 < place }
    }
}
