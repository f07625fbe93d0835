import AdapterSupport
import MessageStore

extension AVIMClient {
    /// Handles what the server pushed: each thing is recorded, told, and confirmed to the server, which keeps it until then.
    func receive() throws {
        // A delegate may do something of which the server tells at once: that is for the loop that told the delegate.
        guard !isReceiving else { return }
        isReceiving = true
        defer { isReceiving = false }
        while case let frames = server.frames(for: clientId), !frames.isEmpty {
            // What waited while the client was away comes first.
            let offline = frames.prefix { $0.frame.isOffline }.compactMap { id, frame in
                frame.message.map { Event($0.received, in: key(of: id), origin: .offline) }
            }
            if !offline.isEmpty {
                tell(try store().arrivals(of: OfflinePackage(index: 0, events: offline, hasMore: false)))
                try store().record(Event(OfflineSyncCompleted(), origin: .offline))
                server.confirm(offline.count, for: clientId)
            }
            for (id, frame) in frames.dropFirst(offline.count) {
                try receive(frame, in: key(of: id))
                server.confirm(1, for: clientId)
            }
        }
    }

    private func key(of conversationId: String) -> ConversationKey {
        server.find(conversationId)?.key ?? .id(conversationId)
    }

    private func receive(_ frame: LeanCloudServer.Frame, in key: ConversationKey) throws {
        let (store, conversation) = (try store(), AVIMConversation(key, of: self))
        switch frame {
        case .message(let message, _):
            tell(try store.arrivals(of: [Event(message.received, in: key, origin: .live)]))
        case .delivered(let id, let time):
            let reference = MessageReference.server(ServerMessageID(id))
            try store.record(.delivered(.messages([reference]), in: key, at: time))
            if let message = try store.read({ try $0.message(reference, in: key) }) {
                let delivered = AVIMMessage.make(message, types: store.contentTypes)
                delegate?.conversation(conversation, messageDelivered: delivered)
            }
        case .membersAdded(let ids, let actor):
            try store.record(.membersAdded(ids.map { UserID($0) }, to: key, kind: .invited, by: UserID(actor)))
            delegate?.conversation(conversation, membersAdded: ids, byClientId: actor)
        case .membersRemoved(let ids, let actor):
            let kind = ids == [actor] ? LeaveKind.left : .kicked
            try store.record(.membersRemoved(ids.map { UserID($0) }, from: key, kind: kind, by: UserID(actor)))
            delegate?.conversation(conversation, membersRemoved: ids, byClientId: actor)
        case .invited(let actor):
            try store.record(Event(SelfInvited(by: UserID(actor)), in: key, origin: .live))
            delegate?.conversation(conversation, invitedByClientId: actor)
        case .kicked(let actor):
            try store.record(Event(SelfKicked(by: UserID(actor)), in: key, origin: .live))
            delegate?.conversation(conversation, kickedByClientId: actor)
        case .unread(let count):
            try store.record(.unreadCountReported(UInt32(clamping: count), in: key))
            delegate?.conversation(conversation, didReceiveUnread: count)
        }
    }

    private func tell(_ arrivals: [Arrival]) {
        guard let types = try? store().contentTypes else { return }
        for arrival in arrivals {
            guard let key = arrival.event.conversation, let body = arrival.event.payload as? MessageReceived else {
                continue
            }
            let message =
                arrival.message.map { AVIMMessage.make($0, types: types) }
                ?? AVIMMessage.make(body, in: key, types: types)
            let conversation = AVIMConversation(key, of: self)
            if let typed = message as? AVIMTypedMessage {
                delegate?.conversation(conversation, didReceiveTypedMessage: typed)
            } else {
                delegate?.conversation(conversation, didReceiveCommonMessage: message)
            }
        }
    }
}

extension LeanCloudServer.Frame {
    fileprivate var message: LeanCloudServer.WireMessage? {
        if case .message(let message, _) = self { message } else { nil }
    }

    /// Whether it waited while the client was away.
    fileprivate var isOffline: Bool {
        if case .message(_, true) = self { true } else { false }
    }
}
