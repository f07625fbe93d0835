package import MessageStore
internal import MessageStoreWorkload

extension RandomEvents {
    mutating func receive(in key: ConversationKey) -> Event {
        if !received.isEmpty, random.chance(0.25) {
            // The same message by another way, often one of a chat room that was entered again.
            let ofRoom = received.filter { $0.conversation == room }
            let known = ofRoom.isEmpty || random.chance(0.5) ? received : ofRoom
            var again = known[random.nextIndex(known.count)]
            again.origin = random.chance(0.5) ? .history : .live
            if random.chance(0.2), var copy = again.payload as? MessageReceived {
                copy.flags = MessageFlags(rawValue: UInt8(random.nextIndex(16)))
                again.payload = copy
            }
            return again
        }
        let sender = user()
        var token: ClientToken?
        if random.chance(0.2) { token = ClientToken("t\(random.nextIndex(60))-\(key)") }
        let context = MessageContext(
            mentions: random.chance(0.2) ? someUsers() : [], mentionsEveryone: random.chance(0.05),
            visibleTo: random.chance(0.1) ? someUsers() : nil, replyTo: maybeRoot(), timer: maybeTimer())
        let content = sender == Self.account ? content(of: token) : content()
        let message = MessageReceived(
            serverID: serverID(), sender: sender, sentTime: sentTime(), content: content, clientToken: token,
            policy: policy(), context: context, needsReceipt: random.chance(0.4), senderProfile: senderProfile(),
            flags: random.chance(0.2) ? MessageFlags(rawValue: UInt8(random.nextIndex(16))) : nil)
        let id: EventID? = random.chance(0.05) ? EventID("e\(random.nextIndex(500))") : nil
        let event = Event(
            message, in: key, id: id,
            origin: random.chance(0.15) ? .history : sender == Self.account ? .otherDevice : .live)
        remember(event)
        return event
    }

    mutating func queue(in key: ConversationKey, at position: UInt64) -> Event {
        let token: ClientToken? = random.chance(0.7) ? ClientToken("t\(random.nextIndex(60))-\(key)") : nil
        queued.append((position, key, token))
        if queued.count > 12 { queued.removeFirst(random.nextIndex(4)) }
        let message = MessageSendQueued(
            content: content(of: token), clientToken: token,
            context: MessageContext(replyTo: maybeRoot(), timer: maybeTimer()),
            needsReceipt: random.chance(0.3), policy: policy())
        return Event(message, in: key)
    }

    /// A token belongs to one message.
    private mutating func content(of token: ClientToken?) -> MessageContent {
        let content = token.flatMap { contents[$0] } ?? content()
        if let token { contents[token] = content }
        return content
    }

    /// A message that is queued with a token that another one may have.
    package mutating func reuse() -> Event? {
        let tokens = contents.keys.sorted { $0.rawValue < $1.rawValue }
        guard !tokens.isEmpty else { return nil }
        let message = MessageSendQueued(content: .text("reused"), clientToken: tokens[random.nextIndex(tokens.count)])
        return Event(message, in: conversation())
    }

    /// What becomes of a queued message: an acknowledgement, an echo, a failure, another attempt.
    mutating func answer(in key: ConversationKey) -> Event {
        guard !queued.isEmpty else { return receive(in: key) }
        let message = queued[random.nextIndex(queued.count)]
        let local = LocalMessageID(message.position)
        switch random.nextIndex(10) {
        case 0..<4:
            // Sometimes under an id whose facts or echo came first.
            let time = time()
            let sent = MessageSent(
                message: local, serverID: ownID(in: message.conversation), sentTime: random.chance(0.6) ? time : nil)
            if random.chance(0.4) { remember(echo(sent.serverID, time, message.conversation, token: nil)) }
            return Event(sent, in: message.conversation)
        case 4..<7:
            let token = random.chance(0.8) ? message.token : nil
            return echo(ownID(in: message.conversation), time(), message.conversation, token: token)
        case 7, 8:
            let code = Int32(random.nextIndex(9)) - 4
            return Event(MessageSendFailed(message: local, code: code), in: message.conversation)
        default:
            return Event(MessageSendRetried(message: local), in: message.conversation)
        }
    }

    /// An id that no message of somebody else has.
    private mutating func ownID(in key: ConversationKey) -> ServerMessageID {
        ServerMessageID("own\(random.nextIndex(30))-\(key.id)")
    }

    private mutating func echo(
        _ id: ServerMessageID, _ time: Timestamp, _ key: ConversationKey, token: ClientToken?
    ) -> Event {
        let message = MessageReceived(
            serverID: id, sender: Self.account, sentTime: time, content: content(), clientToken: token,
            policy: policy())
        let event = Event(message, in: key, origin: random.chance(0.5) ? .live : .otherDevice)
        if random.chance(0.5) { remember(event) }
        return event
    }

    private mutating func remember(_ event: Event) {
        received.append(event)
        if received.count > 60 { received.removeFirst(20) }
    }

    /// A message by one of its ids, known or not.
    mutating func reference(in key: ConversationKey) -> MessageReference {
        if !queued.isEmpty, random.chance(0.2) {
            return .local(LocalMessageID(queued[random.nextIndex(queued.count)].position))
        }
        if random.chance(0.1) { return .local(LocalMessageID(1 + random.next(upperBound: 300))) }
        return .server(random.chance(0.3) ? ownID(in: key) : serverID())
    }

    mutating func references(in key: ConversationKey) -> [MessageReference] {
        (0..<1 + random.nextIndex(3)).map { _ in reference(in: key) }
    }

    /// What a server says of a message, in part.
    private mutating func snapshot(in key: ConversationKey) -> Event {
        var told = MessageSnapshotReceived(
            reference(in: key), asOf: random.chance(0.7) ? time() : nil, sentTime: random.chance(0.4) ? time() : nil,
            isRecalled: random.chance(0.1))
        if random.chance(0.3) {
            (told.content, told.modifiedTime) = (content(), time())
            if random.chance(0.4) { told.mentions = random.chance(0.5) ? someUsers() : [] }
            told.mentionsEveryone = random.chance(0.1)
        }
        if random.chance(0.5) {
            told.reactions = ["+1", "x", "+"].filter { _ in random.chance(0.5) }.map { reaction in
                let users = random.chance(0.7) ? Array(Set(someUsers())).sorted() : []
                let count = random.chance(0.4) ? UInt32(users.count + random.nextIndex(3)) : nil
                return ReactionSummary(key: reaction, users: users, count: count)
            }
        }
        if random.chance(0.3) {
            told.counts = ReadCounts(read: UInt32(random.nextIndex(5)), unread: UInt32(random.nextIndex(5)))
        }
        if random.chance(0.3) { told.deliveredCount = UInt32(random.nextIndex(5)) }
        if random.chance(0.3) { told.flags = MessageFlags(rawValue: UInt8(random.nextIndex(16))) }
        if told.isEmpty { told.isRecalled = true }
        return Event(told, in: key, origin: random.chance(0.5) ? .history : .live)
    }

    mutating func fact(in key: ConversationKey) -> Event {
        switch random.nextIndex(4) {
        case 0:
            Event(
                MessageModified(
                    reference(in: key), content: content(), at: time(),
                    mentions: random.chance(0.4) ? random.chance(0.5) ? someUsers() : [] : nil,
                    mentionsEveryone: random.chance(0.1), by: maybeUser()), in: key)
        case 1: Event(MessageRecalled(reference(in: key), by: maybeUser()), in: key)
        case 2: snapshot(in: key)
        default: Event(MessagesDeleted(references(in: key), erases: random.chance(0.3)), in: key)
        }
    }

    mutating func receipt(in key: ConversationKey) -> Event {
        let scope = random.chance(0.7) ? ReceiptScope.messages(references(in: key)) : .upTo(time())
        if random.chance(0.5) {
            return Event(MessageDelivered(scope, to: maybeUser(), at: time()), in: key)
        }
        return Event(MessageReadByPeer(scope, by: maybeUser(), at: time()), in: key)
    }
}
