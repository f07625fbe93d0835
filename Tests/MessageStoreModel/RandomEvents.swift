package import MessageStore
internal import MessageStoreWorkload

/// A seeded stream of valid events of a world so small that everything collides.
///
/// Eight conversations, eight users, few server ids: duplicates, receipts before messages, echoes of own messages, late
/// deletions and old read markers happen all the time. Equal seeds and equal positions give equal batches.
package struct RandomEvents: Sendable {
    /// The account of the store.
    package static let account: UserID = "me"
    /// The conversations of the world.
    package static let conversations: [ConversationKey] = [
        .single("u1"), .single("u2"), .group("g1"), .group("g2"), ConversationKey(.chatRoom, "room"),
        ConversationKey(.chatRoom, "g1"), ConversationKey(.system, "system"), .id("u3"),
    ]
    /// The users of the world, the account among them.
    package static let users: [UserID] = ["me", "u1", "u2", "u3", "u4", "u5", "u6", "u7"]

    var random: SplitMix64
    /// The server's clock, in milliseconds; moves on now and then.
    var serverTime: Int64 = 1_000_000
    /// Queued messages by position, as far as they can be foretold.
    var queued: [(position: UInt64, conversation: ConversationKey, token: ClientToken?)] = []
    /// What was queued with each token.
    var contents: [ClientToken: MessageContent] = [:]
    /// Messages as their sender's server tells them; told again now and then.
    var received: [Event] = []
    /// The chat room of which something was told last.
    var room: ConversationKey?
    /// What was done on this device and may wait for the server, by position as far as it can be foretold.
    var changes: [Position] = []
    var nextID = 0
    var drafts = 0
    private let largestBatch: Int
    private let futureChance: Double
    private let timerChance: Double

    /// Creates a stream; batches have 1 to `largestBatch` events.
    ///
    /// - Parameters:
    ///   - futureChance: How likely a message is from the future.
    ///   - timerChance: How likely a message, or what somebody does in a conversation, has a timer.
    package init(seed: UInt64, largestBatch: Int = 12, futureChance: Double = 0, timerChance: Double = 0) {
        self.timerChance = timerChance
        random = SplitMix64(seed: seed)
        self.futureChance = futureChance
        self.largestBatch = max(largestBatch, 1)
    }

    /// The next batch for a store that ends at `last`.
    package mutating func nextBatch(after last: Position) -> [Event] {
        let count = random.chance(0.4) ? 1 : 1 + random.nextIndex(largestBatch)
        if random.chance(0.08) { return offlinePackage(count, after: last) }
        return (0..<count).map { index in
            // Foretold positions are wrong where events before in the batch are known; then nothing has that id.
            let position = last.rawValue + UInt64(index) + 1
            return waiting(nextEvent(at: position), at: Position(position))
        }
    }

    mutating func nextEvent(at position: UInt64) -> Event {
        if random.chance(0.3) { serverTime += Int64(random.nextIndex(2_000)) }
        let key = conversation()
        if random.chance(0.1) { return conversationStateEvent(in: key) }
        if random.chance(0.04) { return attachment(in: key) }
        switch random.nextIndex(100) {
        case 0..<34: return receive(in: key)
        case 34..<44: return queue(in: key, at: position)
        case 44..<56: return answer(in: key)
        case 56..<61: return fact(in: key)
        case 61..<65: return detailEvent(in: key, at: position)
        case 65..<68: return receipt(in: key)
        case 68..<72: return verdict(in: key)
        case 72..<88: return conversationEvent(in: key)
        case 88..<94: return memberEvent(in: key)
        default: return accountEvent()
        }
    }

    private mutating func offlinePackage(_ count: Int, after last: Position) -> [Event] {
        var events = (0..<count).map { _ in
            var event = receive(in: conversation())
            event.origin = random.chance(0.15) ? .otherDevice : .offline
            return event
        }
        if random.chance(0.3) {
            events.insert(Event(OfflineSyncStarted(), origin: .offline), at: 0)
        }
        let package = OfflinePackageReceived(
            index: UInt32(random.nextIndex(9)), messageCount: UInt32(count), hasMore: random.chance(0.5))
        events.append(Event(package, origin: .offline))
        if random.chance(0.3) { events.append(Event(OfflineSyncCompleted(), origin: .offline)) }
        return events
    }

    mutating func conversation() -> ConversationKey { Self.conversations[random.nextIndex(Self.conversations.count)] }
    mutating func user() -> UserID { Self.users[random.nextIndex(Self.users.count)] }
    mutating func someUsers() -> [UserID] { (0..<1 + random.nextIndex(3)).map { _ in user() } }
    mutating func maybeUser() -> UserID? { random.chance(0.5) ? user() : nil }

    /// When a message was sent: now and then more than a day ahead.
    mutating func sentTime() -> Timestamp {
        guard futureChance > 0, random.chance(futureChance) else { return time() }
        return Timestamp(milliseconds: serverTime + 86_400_000 * Int64(1 + random.nextIndex(3)) + 7_200_000)
    }

    /// A moment near now, seldom long ago; never 0.
    mutating func time() -> Timestamp {
        let back = random.chance(0.3) ? random.nextIndex(20_000) : random.nextIndex(3)
        return Timestamp(milliseconds: max(1, serverTime - Int64(back)))
    }

    /// Mostly over soon.
    mutating func maybeTimer() -> MessageTimer? {
        guard timerChance > 0, random.chance(timerChance) else { return nil }
        guard random.chance(0.8) else { return .off }
        let seconds = random.chance(0.2) ? 100_000 : 1 + random.nextIndex(40)
        return MessageTimer(seconds: UInt32(seconds), runsFromReading: random.chance(0.5))
    }

    mutating func maybeTime() -> Timestamp? { random.chance(0.5) ? time() : nil }

    /// One of few ids, so that it is often known; ids of another length sort elsewhere.
    mutating func serverID() -> ServerMessageID {
        if random.chance(0.3) {
            nextID += 1
            return ServerMessageID("n\(nextID)")
        }
        return ServerMessageID("s\(random.nextIndex(40))")
    }

    mutating func order() -> MessageOrder? {
        if random.chance(0.4) { return nil }
        if !received.isEmpty, let message = received[random.nextIndex(received.count)].payload as? MessageReceived,
            random.chance(0.6)
        {
            return MessageOrder(time: message.sentTime, id: random.chance(0.8) ? message.serverID : nil)
        }
        return MessageOrder(time: time(), id: random.chance(0.5) ? serverID() : nil)
    }

    mutating func content() -> MessageContent {
        switch random.nextIndex(7) {
        case 6: MessageContent(type: random.chance(0.5) ? .video : ContentType("x/card"), text: "card")
        case 0: MessageContent(type: .image, data: [UInt8(random.nextIndex(256))], attributes: Array("{}".utf8))
        case 1: MessageContent(type: .tip, text: "")
        default: .text("words \(random.nextIndex(10_000))")
        }
    }

    mutating func policy() -> MessagePolicy {
        switch random.nextIndex(10) {
        case 0: .uncounted
        case 1: .silent
        case 2: random.chance(0.5) ? MessagePolicy(updatesLastMessage: false) : .standard
        default: .standard
        }
    }
}
