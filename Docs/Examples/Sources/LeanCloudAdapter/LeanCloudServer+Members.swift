import MessageStore

extension LeanCloudServer {
    func create(
        by creator: String, name: String?, members: [String], attributes: [String: JSONValue],
        isTransient: Bool = false, isSystem: Bool = false
    ) -> Conversation {
        let others = members.filter { $0 != creator }
        return state.withLock { state in
            let conversation = Conversation(
                id: "c\(state.conversations.count + 1)", name: name, creator: creator, attributes: attributes,
                isTransient: isTransient, isSystem: isSystem, members: [creator])
            if isTransient { state.leaveRooms([creator]) }
            state.conversations[conversation.id] = conversation
            state.add(others, to: conversation.id, by: creator)
            return state.conversations[conversation.id] ?? conversation
        }
    }

    func add(_ members: [String], to conversation: String, by actor: String) {
        state.withLock { $0.add(members, to: conversation, by: actor) }
    }

    func remove(_ members: [String], from conversation: String, by actor: String) {
        state.withLock { state in
            guard let known = state.conversations[conversation] else { return }
            state.conversations[conversation]?.members.removeAll { members.contains($0) }
            guard !known.isTransient else { return }
            state.push(.kicked(by: actor), in: conversation, to: members.filter { $0 != actor })
            let others = known.members.filter { !members.contains($0) }
            state.push(.membersRemoved(members, by: actor), in: conversation, to: others)
        }
    }

    /// The conversations of which a client is a member; a chat room has no list of members to be asked for.
    func conversations(of client: String) -> [Conversation] {
        state.withLock { state in
            state.conversations.values.filter { !$0.isTransient && $0.members.contains(client) }.sorted {
                $0.id < $1.id
            }
        }
    }
}

extension LeanCloudServer.State {
    mutating func add(_ members: [String], to conversation: String, by actor: String) {
        guard let known = conversations[conversation] else { return }
        let new = members.filter { !known.members.contains($0) }
        if known.isTransient { leaveRooms(new) }
        conversations[conversation]?.members += new
        guard !known.isTransient, !new.isEmpty else { return }
        // The one who invites is told of an invitation as well.
        let invited = new.filter { $0 != actor }
        if !invited.isEmpty { push(.invited(by: actor), in: conversation, to: invited + [actor]) }
        push(.membersAdded(new, by: actor), in: conversation, to: known.members + new)
    }

    /// A client is in one chat room at most.
    mutating func leaveRooms(_ clients: [String]) {
        for room in conversations.values where room.isTransient {
            conversations[room.id]?.members.removeAll { clients.contains($0) }
        }
    }

    /// Notices are for who is there; nobody is told of them later.
    mutating func push(_ frame: LeanCloudServer.Frame, in conversation: String, to clients: [String]) {
        for client in clients where online.contains(client) {
            inboxes[client, default: []].append((conversation, frame))
        }
    }

    /// Transient messages are not kept, and those of chat rooms do not wait for anybody.
    mutating func write(_ message: LeanCloudServer.WireMessage, in id: String) {
        guard let conversation = conversations[id] else { return }
        let others = conversation.members.filter { $0 != message.sender }
        push(.message(message, isOffline: false), in: id, to: others)
        guard message.options != .transient else { return }
        conversations[id]?.messages.append(message)
        guard !conversation.isTransient else { return }
        for client in others where !online.contains(client) { missed[client, default: []].append((id, message)) }
    }
}
