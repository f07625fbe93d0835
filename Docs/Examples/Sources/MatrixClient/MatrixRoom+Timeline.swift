import MessageStore

extension MatrixRoom {
    /// An event of the timeline that is no state.
    mutating func apply(_ event: MatrixEvent) throws {
        switch event.type {
        case "m.reaction": apply(reaction: event)
        case "m.room.redaction": try apply(redaction: event)
        default: if event.isEdit { try apply(edit: event) } else { try apply(message: event) }
        }
    }

    private mutating func apply(message event: MatrixEvent) throws {
        // An edit that was redacted has lost its relation; the log knows it.
        if event.isRedacted, changes[event.id] != nil { return }
        // A second message of a device's transaction id is the message that the store has by its token.
        let token = event.sender == account ? event.unsigned?["transaction_id"]?.string : nil
        let isElsewhere = origin == .live && event.sender == account && token == nil
        let received = MessageReceived(
            serverID: ServerMessageID(event.id), sender: event.sender, sentTime: event.time,
            content: MessageContent(matrix: event.content, of: event.type),
            clientToken: token.flatMap { $0.isIdentifier ? ClientToken($0) : nil }, policy: Self.policy(of: event),
            context: Self.context(of: event))
        add(Event(received, in: key, origin: isElsewhere ? .otherDevice : origin))
        if let because = event.unsigned?["redacted_because"] {
            let actor = because["sender"]?.string.map { UserID($0) }
            let recalled = MessageRecalled(
                .server(received.serverID), by: actor, reason: because["content"]?["reason"]?.string)
            add(recalled, id: because["event_id"]?.string ?? event.id, "redaction")
        } else if let edit = event.unsigned?["m.relations"]?["m.replace"].flatMap({ MatrixEvent($0) }) {
            try apply(edit: edit)
        }
    }

    private static func policy(of event: MatrixEvent) -> MessagePolicy {
        switch event.type {
        case "m.room.message": event.content["msgtype"]?.string == "m.notice" ? .uncounted : .standard
        case "m.room.encrypted": .standard
        default: .silent
        }
    }

    private static func context(of event: MatrixEvent) -> MessageContext {
        let mentions = event.content["m.mentions"]
        // In a thread the reference may be there only for clients that know no threads.
        let isFallback = event.relation?["is_falling_back"]?.bool == true
        let reply = isFallback ? nil : event.relation?["m.in_reply_to"]?["event_id"]?.string
        return MessageContext(
            mentions: (mentions?["user_ids"]?.array ?? []).compactMap(\.string).filter(\.isIdentifier).map {
                UserID($0)
            },
            mentionsEveryone: mentions?["room"]?.bool == true,
            replyTo: reply.flatMap { $0.isIdentifier ? ServerMessageID($0) : nil })
    }

    /// An edit counts if its sender wrote the message. Where the message is not known yet, the server reports the edits
    /// that count with the message itself.
    private mutating func apply(edit event: MatrixEvent) throws {
        guard let target = event.relation?["event_id"]?.string, !event.isRedacted else { return skip() }
        let sender = try messages[target]?.sender ?? lookup.message(target, in: key)?.sender
        let new = event.type == "m.room.encrypted" ? event.content : event.content["m.new_content"]
        guard sender == event.sender, let new, case .object = new else { return skip() }
        let content = MessageContent(matrix: new, of: event.type)
        add(MessageModified(.server(ServerMessageID(target)), content: content, at: event.time), of: event, "edit")
    }

    private mutating func apply(reaction event: MatrixEvent) {
        // A reaction that was taken back has lost its content.
        guard !event.isRedacted else { return }
        guard event.relation?["rel_type"]?.string == "m.annotation", let key = event.relation?["key"]?.string,
            1...EventLimits.keyBytes ~= key.utf8.count, let target = event.relation?["event_id"]?.string
        else { return skip() }
        let reaction = ReactionAdded(.server(ServerMessageID(target)), key: key, by: event.sender, at: event.time)
        add(reaction, of: event, "reaction")
    }

    private mutating func apply(redaction event: MatrixEvent) throws {
        guard let target = event.redacts else { return skip() }
        let own = [EventID("\(key.id) \(target) reaction"), EventID("\(key.id) \(target) edit")]
        let recent = events.last { $0.id.map(own.contains) == true }?.payload
        let change = recent ?? changes[target]
        if let reaction = change as? ReactionAdded {
            let removed = ReactionRemoved(reaction.message, key: reaction.key, by: reaction.user, at: event.time)
            return add(removed, of: event, "redaction")
        }
        if let edit = change as? MessageModified, let content = try lookup.content(without: edit, redacted, in: key) {
            add(MessageModified(edit.message, content: content, at: event.time), of: event, "restored")
        }
        // Of a message that is not known yet, too: a page of history may have been asked for before. That of an edit
        // shows nothing, and is what a later redaction of another edit looks for.
        let reason = event.content["reason"]?.string
        let recalled = MessageRecalled(.server(ServerMessageID(target)), by: event.sender, reason: reason)
        add(recalled, of: event, "redaction")
    }
}
