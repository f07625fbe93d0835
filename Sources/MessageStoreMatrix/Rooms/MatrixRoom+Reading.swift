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

    /// Whether a message is above what is read, and neither a message nor a count of the room has a later place.
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
