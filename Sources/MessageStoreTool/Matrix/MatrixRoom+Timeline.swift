internal import MessageStore

extension MatrixRoom {
    mutating func apply(timeline event: MatrixEvent) throws {
        if event.stateKey != nil { return try apply(state: event) }
        switch event.type {
        case "m.reaction": apply(reaction: event)
        case "m.room.redaction": apply(redaction: event)
        default: if event.isEdit { try apply(edit: event) } else { apply(message: event) }
        }
    }

    private mutating func apply(message event: MatrixEvent) {
        let redaction = event.unsigned?["redacted_because"]
        guard let content = MatrixContent(event.content, of: event.type, isRedacted: redaction != nil) else {
            return skip(.missingField)
        }
        let token = event.sender == account ? event.unsigned?["transaction_id"]?.string : nil
        let received = MessageReceived(
            serverID: ServerMessageID(event.id), sender: event.sender, sentTime: event.time, content: content.message,
            clientToken: token.map { ClientToken($0) }, policy: content.policy, context: content.context)
        add(Event(received, in: key, origin: .offline))
        guard let redaction else { return }
        let recalled = MessageRecalled(
            .server(ServerMessageID(event.id)), by: redaction["sender"]?.string.map { UserID($0) },
            reason: redaction["content"]?["reason"]?.string)
        add(recalled, id: redaction["event_id"]?.string ?? event.id, "redaction")
    }

    /// The new content is in a place of its own, except where it is encrypted. Servers pass on edits by others, which do
    /// not count.
    private mutating func apply(edit event: MatrixEvent) throws {
        let isEncrypted = event.type == "m.room.encrypted"
        guard let target = event.content["m.relates_to"]?["event_id"]?.string,
            let new = isEncrypted ? event.content : event.content["m.new_content"],
            let content = MatrixContent(new, of: event.type)
        else { return skip(.missingField) }
        guard try sender(of: target) == event.sender else { return skip(.foreignEdit) }
        let modified = MessageModified(.server(ServerMessageID(target)), content: content.message, at: event.time)
        add(modified, of: event, "edit")
    }

    private mutating func apply(reaction event: MatrixEvent) {
        let relation = event.content["m.relates_to"]
        guard relation?["rel_type"]?.string == "m.annotation", let target = relation?["event_id"]?.string,
            let key = relation?["key"]?.string
        else { return skip(.missingField) }
        let reaction = ReactionAdded(.server(ServerMessageID(target)), key: key, by: event.sender, at: event.time)
        memory.reactions[[id, event.id]] = reaction
        add(reaction, of: event, "reaction")
    }

    private mutating func apply(redaction event: MatrixEvent) {
        guard let target = event.redacts else { return skip(.missingField) }
        if let reaction = memory.reactions[[id, target]] {
            let removed = ReactionRemoved(reaction.message, key: reaction.key, by: reaction.user, at: event.time)
            return add(removed, of: event, "redaction")
        }
        let recalled = MessageRecalled(
            .server(ServerMessageID(target)), by: event.sender, reason: event.content["reason"]?.string)
        add(recalled, of: event, "redaction")
    }
}
