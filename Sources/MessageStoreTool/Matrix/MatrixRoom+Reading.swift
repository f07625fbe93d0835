internal import MessageStore

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
        let before = try memory.exchange(tags, of: key)
        guard tags != before else { return }
        let tagged = ConversationTagged(
            add: tags.subtracting(before).ordered(), remove: before.subtracting(tags).ordered())
        add(tagged, id: cursor, "tags")
        let favourite = "m.favourite"
        guard tags.contains(favourite) != before.contains(favourite) else { return }
        add(ConversationPinned(tags.contains(favourite)), id: cursor, "pinned")
    }

    mutating func apply(ephemeral value: JSONValue) throws {
        guard value["type"]?.string == "m.receipt", let content = value["content"] else { return skip(.ephemeral) }
        for (event, kinds) in content.members {
            for (kind, users) in kinds.members where kind == "m.read" || kind == "m.read.private" {
                for (user, receipt) in users.members {
                    let thread = receipt["thread_id"]?.string ?? "main"
                    guard thread == "main" else { skip(.threadReceipt); continue }
                    let time = Timestamp(milliseconds: receipt["ts"]?.integer ?? 0)
                    try read(upTo: event, by: UserID(user), at: time)
                }
            }
        }
    }

    /// A receipt covers the event and all before it, as far as the event's place is known.
    private mutating func read(upTo event: String, by user: UserID, at time: Timestamp) throws {
        let place = try places[event] ?? memory.place(of: event, in: key)
        if user == account {
            isRead = true
            guard let place else { return skip(.unknownReceipt) }
            return add(ConversationRead(upTo: place), id: event, "read", at: time)
        }
        let scope = place.map { ReceiptScope.upTo($0.time) } ?? .messages([.server(ServerMessageID(event))])
        add(MessageReadByPeer(scope, by: user, at: time), id: event, "read \(user)", at: time)
    }

    /// The server's own count, up to the last message that it sent along: a reaction or an edit after it cannot be read.
    /// Without a message the count is that of this moment.
    mutating func report(_ notifications: JSONValue, upTo last: MatrixEvent?) {
        guard let count = notifications["notification_count"]?.integer else { return }
        let reported = UnreadCountReported(
            UInt32(clamping: count), mentions: UInt32(clamping: notifications["highlight_count"]?.integer ?? 0),
            upTo: last?.place, at: last?.time)
        add(reported, id: cursor, "unread", at: last?.time ?? .unknown)
    }
}
