import MessageStore
import MessageStoreMatrix

extension MatrixClient {
    /// Sends what waits, messages first: a message that the server has already, because its answer was lost, is sent by
    /// the same transaction id and so is no second message.
    ///
    /// - Throws: `MatrixError` where the server cannot be reached; the rest waits on.
    public nonisolated func sendWaiting() async throws {
        for message in try await store.read({ try $0.outbox() }) where message.status == .sending {
            guard let token = message.clientToken else { continue }
            do {
                let id = try await server.send(
                    "m.room.message", Self.content(of: message.text), to: message.conversation.id,
                    transaction: token.rawValue)
                try await store.record(.sent(message.id, as: ServerMessageID(id), in: message.conversation))
            } catch MatrixError.refused(let status, _) {
                let code = Int32(clamping: status)
                try await store.record(.sendFailed(message.id, in: message.conversation, code: code))
            }
        }
        let changes = try await store.read { try $0.pendingChanges() }
        for change in changes where change.isReady && change.status == .waiting {
            let later = changes.reversed().prefix { $0.id > change.id }
            var outcome = [Event(PendingChangeUpdated(change.id, .confirmed))]
            do {
                // Of several reads of a room the last covers the others.
                let isCovered =
                    change.event.payload is ConversationRead
                    && later.contains {
                        $0.event.payload is ConversationRead && $0.event.conversation == change.event.conversation
                    }
                if !isCovered {
                    guard let sent = try await send(change, of: changes) else { continue }
                    outcome += sent
                }
            } catch MatrixError.refused(let status, _) {
                outcome = [Event(PendingChangeUpdated(change.id, .withdrawn, code: Int32(clamping: status)))]
            }
            try await store.record(outcome)
        }
    }

    /// Sends one of the changes that wait.
    ///
    /// - Returns: What the server made of it, as a response will have it; nil where it cannot be sent yet.
    private nonisolated func send(_ change: PendingChange, of changes: [PendingChange]) async throws -> [Event]? {
        guard let conversation = change.event.conversation else { return [] }
        let room = conversation.id
        let transaction = change.event.id?.rawValue ?? "change \(change.id)"
        switch change.event.payload {
        case let edit as MessageModified:
            guard let target = try await serverID(of: edit.message, in: conversation) else { return [] }
            _ = try await server.send(
                "m.room.message", Self.edit(of: target, to: edit.content.text), to: room, transaction: transaction)
        case let recall as MessageRecalled:
            guard let target = try await serverID(of: recall.message, in: conversation) else { return [] }
            try await server.redact(target.rawValue, of: room, reason: recall.reason, transaction: transaction)
        case let reaction as ReactionAdded:
            guard let target = try await serverID(of: reaction.message, in: conversation) else { return [] }
            let content = Self.relation("m.annotation", to: target, ["key": .string(reaction.key)])
            let event = try await server.send("m.reaction", content, to: room, transaction: transaction)
            // To take the reaction back before the response with it comes needs its event's id.
            let id = "\(room) \(event) reaction"
            guard id.utf8.count <= EventLimits.identifierBytes else { return [] }
            return [Event(reaction, in: conversation, id: EventID(id), origin: .live)]
        case let removed as ReactionRemoved:
            guard let target = try await serverID(of: removed.message, in: conversation) else { return [] }
            let lookup = MatrixLookup(store: store)
            guard let event = try lookup.reaction(removed.key, to: target, by: removed.user, in: conversation) else {
                return isAdded(removed, in: conversation, before: change, among: changes) ? nil : []
            }
            try await server.redact(event, of: room, reason: nil, transaction: transaction)
        case let read as ConversationRead:
            guard let event = read.upTo?.id else { return [] }
            try await server.markRead(room, upTo: event.rawValue)
        default: break
        }
        return []
    }

    /// Whether a reaction that is to be taken back waits to be sent itself.
    private nonisolated func isAdded(
        _ removed: ReactionRemoved, in conversation: ConversationKey, before change: PendingChange,
        among changes: [PendingChange]
    ) -> Bool {
        changes.contains { other in
            guard other.id < change.id, other.event.conversation == conversation,
                let added = other.event.payload as? ReactionAdded
            else { return false }
            return added.message == removed.message && added.key == removed.key && added.user == removed.user
        }
    }

    private nonisolated func serverID(
        of message: MessageReference, in room: ConversationKey
    ) async throws -> ServerMessageID? {
        if case .server(let id) = message { return id }
        return try await store.read { try $0.message(message, in: room)?.serverID }
    }

    private static func content(of text: String?) -> JSONValue {
        .object(["msgtype": .string("m.text"), "body": .string(text ?? "")])
    }

    /// Clients that know no edits show the text with an asterisk.
    private static func edit(of message: ServerMessageID, to text: String?) -> JSONValue {
        let members = relation("m.replace", to: message, [:]).members + content(of: "* " + (text ?? "")).members
        var edit = Dictionary(members, uniquingKeysWith: { $1 })
        edit["m.new_content"] = content(of: text)
        return .object(edit)
    }

    private static func relation(
        _ type: String, to message: ServerMessageID, _ others: [String: JSONValue]
    ) -> JSONValue {
        var relation = others
        relation["rel_type"] = .string(type)
        relation["event_id"] = .string(message.rawValue)
        return .object(["m.relates_to": .object(relation)])
    }
}
