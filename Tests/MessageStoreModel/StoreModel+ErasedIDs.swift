import Foundation
package import MessageStore

/// The placeholders of users and conversations whose ids were erased.
struct ErasedNames: Sendable {
    var users: [UserID: UserID] = [:]
    var conversations: [ConversationKey: ConversationKey] = [:]
}

extension StoreModel {
    /// The conversations of the world, as the log names them.
    package var world: [ConversationKey] { RandomEvents.conversations.map(named) }

    /// The users of the world, as the log names them.
    package var people: [UserID] { RandomEvents.users.map(named) }

    /// A user as the log names it: by a placeholder once its id was erased.
    package func named(_ user: UserID) -> UserID { erased.users[user] ?? user }

    /// The same of a conversation.
    package func named(_ key: ConversationKey) -> ConversationKey { erased.conversations[key] ?? key }

    /// An event as the log has it.
    package func named(_ event: Event) -> Event {
        guard !erased.users.isEmpty || !erased.conversations.isEmpty else { return event }
        do {
            let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(event))
            let data = try JSONSerialization.data(withJSONObject: named(object))
            return try JSONDecoder().decode(Event.self, from: data)
        } catch {
            preconditionFailure("\(event) cannot be read again: \(error)")
        }
    }

    /// In random events no other string is a user's id, and nothing but a conversation has a kind and an id.
    private func named(_ value: Any) -> Any {
        switch value {
        case let text as String: return named(UserID(text)).rawValue
        case let values as [Any]: return values.map { named($0) }
        case let object as [String: Any]:
            guard let kind = object["kind"] as? String, let id = object["id"] as? String, object.count == 2,
                let key = erased.conversations.keys.first(where: { "\($0.kind)" == kind && $0.id == id })
            else { return object.mapValues { named($0) } }
            return ["kind": kind, "id": named(key).id]
        default: return value
        }
    }

    /// Puts placeholders in the place of ids: that of a user is the user's number, and the conversations with the user
    /// get it too; that of another conversation is its own number.
    mutating func eraseIDs(_ erasure: ModelErasure) {
        for user in erasure.users where user != account && erased.users[user] == nil {
            guard let number = erasure.userNumbers[user] else { continue }
            let id = "erased:\(number)"
            for kind in [ConversationKind.single, .unspecified] {
                eraseID(of: ConversationKey(kind, user.rawValue), id, erasure)
            }
            erased.users[user] = UserID(id)
        }
        for key in erasure.conversations {
            var id = erasure.conversationNumbers[key].map { "erased:\($0)" }
            if key.kind == .single {
                // The id is the user's, and goes with the user alone.
                let user = UserID(key.id)
                if let placeholder = erased.users[user] {
                    id = placeholder.rawValue
                } else if erasure.userNumbers[user] != nil {
                    continue
                }
            }
            if let id { eraseID(of: key, id, erasure) }
        }
        log = log.map { named($0) }
    }

    private mutating func eraseID(of key: ConversationKey, _ id: String, _ erasure: ModelErasure) {
        guard erased.conversations[key] == nil, erasure.conversationNumbers[key] != nil else { return }
        var placeholder = ConversationKey(key.kind, id)
        while erased.conversations.values.contains(placeholder) {
            placeholder = ConversationKey(key.kind, placeholder.id + "-")
        }
        erased.conversations[key] = placeholder
    }
}
