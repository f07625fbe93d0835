import MessageStoreProjections

@testable import MessageStore
@testable import MessageStoreTestSupport

extension ModelRun {
    /// Writes the files anew, without the events that no answer needs: of cleared messages that were erased.
    func compact() throws {
        let before = try store.events(limit: .max)
        let report = try store.compact()
        let after = try store.events(limit: .max)
        let left = Set(after.map(\.position))
        let cut = before.filter { !left.contains($0.position) }
        try Disagreement.check("events that were cut off", report.cutEvents, cut.count)
        try Disagreement.check("events that are left", before.filter { left.contains($0.position) }, after)
        guard !cut.isEmpty else { return }
        for event in cut where event.event.conversation.map(model.erasesHistory) != true {
            throw Disagreement(description: "nothing erased \(event)")
        }
        // Every answer is as it was; from here on it follows from what is left.
        let base = try store.statistics().replayStart
        model.cutOff(cut.map(\.position), by: base, isWhole: true)
        try compareAll(store)
        model.cutOff([], by: base)
        try checkVerification()
    }

    /// Removes the words of a message that is shown; nothing else changes (I11).
    func redact() throws {
        let key = model.world[random.nextIndex(model.world.count)]
        let timeline = model.timeline(of: key)
        guard !timeline.isEmpty else { return }
        let message = timeline[random.nextIndex(timeline.count)].id
        let digests = try store.digests()
        try store.redact(Position(message.rawValue))
        model.redact(message)
        try Disagreement.check("digests after a redaction", try store.digests(), digests)
    }

    /// Removes values of users, conversations and events.
    func erase() throws {
        var erasure = ModelErasure()
        (erasure.userNumbers, erasure.conversationNumbers) = try store.read { views in
            let symbols = views.snapshot.symbols
            return try (
                RandomEvents.users.reduce(into: [:]) { $0[$1] = try symbols.existingNumber(of: $1) },
                RandomEvents.conversations.reduce(into: [:]) { $0[$1] = try symbols.existingNumber(of: $1) }
            )
        }
        let users = erasure.userNumbers.keys.sorted()
        let keys = RandomEvents.conversations.filter { erasure.conversationNumbers[$0] != nil }
        switch random.nextIndex(3) {
        case 0 where !users.isEmpty:
            erasure.users = [users[random.nextIndex(users.count)]]
            erasure.alsoMessages = random.chance(0.3)
        case 1 where !keys.isEmpty: erasure.conversations = [keys[random.nextIndex(keys.count)]]
        default:
            guard !model.log.isEmpty else { return }
            erasure.events = (0...random.nextIndex(4)).map { _ in
                Position(UInt64(random.nextIndex(model.log.count) + 1))
            }
        }
        erasure.alsoIDs = random.chance(0.3) && erasure.events.isEmpty && !erasure.users.contains(RandomEvents.account)
        try touch()
        var erased = model
        erased.erase(erasure, at: clock.now)
        if try Self.erase(erasure, store) != nil {
            model = erased
            batches.append(([], clock.now, erasure))
        } else {
            // Nothing was left to erase.
            let count = model.log.count
            try Disagreement.check(
                "the log without what is erased again", model.log.map { AnyHashable($0.payload) },
                erased.log.prefix(count).map { AnyHashable($0.payload) })
        }
        // An erasure is an event after which the store looks, too.
        try expire()
        try Disagreement.check("last position", try store.lastPosition(), model.lastPosition)
        try checkVerification()
    }

    @discardableResult
    static func erase(_ erasure: ModelErasure, _ store: MessageStore) throws -> Position? {
        try store.erase(
            Erasure(
                users: erasure.users, alsoMessages: erasure.alsoMessages, conversations: erasure.conversations,
                events: erasure.events), alsoIDs: erasure.alsoIDs)
    }

    /// Clears what a policy does not keep: the oldest messages, and without changing what is unread unless it includes
    /// that.
    func retain() throws {
        var limits = RetentionPolicy.Limits()
        if store.clockJump == nil, random.chance(0.4) { limits.age = .milliseconds(random.nextIndex(1_000_000) + 1) }
        if limits.age == nil || random.chance(0.5) {
            let most = 1 + random.nextIndex(20)
            limits.messages = most
            if random.chance(0.3) { limits.lowWaterMark = 1 + random.nextIndex(most) }
        }
        var policy = RetentionPolicy()
        policy.standard = limits
        policy.includesUnread = random.chance(0.3)
        policy.includesMarked = limits.messages?.isMultiple(of: 4) == true
        let spared = model.knownConversations.first { _ in random.chance(0.1) }
        if let spared { policy.conversations[spared] = .unlimited }
        try touch()
        let before = model
        let report = try store.retain(policy)
        let recorded = try store.events(from: Position(before.lastPosition.rawValue + 1), limit: .max)
        let events = recorded.map(\.event).prefix { $0.payload is HistoryCleared }
        batches.append((Array(events), clock.now, nil))
        model.record(Array(events), at: clock.now)
        var kept = 0
        for key in before.knownConversations {
            let marked = policy.includesMarked ? [] : before.marked(in: key)
            let wanted = key == spared ? [] : before.notKept(in: key, limits, except: marked, at: clock.now)
            let cleared = wanted.prefix(report.messages[key] ?? 0)
            kept += wanted.count - cleared.count
            let left = Set(model.timeline(of: key).map(\.id))
            try Disagreement.check("cleared in \(key)", wanted.prefix { !left.contains($0) }, cleared)
            try Disagreement.check("starred or pinned in \(key)", marked.subtracting(left), [])
            if policy.includesUnread { try Disagreement.check("all go in \(key)", cleared, wanted[...]) }
            let isRead = !policy.includesUnread
            guard isRead else { continue }
            try Disagreement.check("unread of \(key)", model.unread(of: key), before.unread(of: key))
            let unread = before.possiblyUnread(in: key)
            let first = wanted.firstIndex(where: unread.contains) ?? wanted.endIndex
            try Disagreement.check("cleared in \(key), below what is unread", cleared, wanted[..<first])
        }
        try Disagreement.check("kept as unread", report.keptAsUnread, policy.includesUnread ? 0 : kept)
        try expire()
    }
}
