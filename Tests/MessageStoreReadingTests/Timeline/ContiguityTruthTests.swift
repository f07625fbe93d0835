import Testing
@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("d27: what a timeline says of its gaps, compared with the server's history", .timeLimit(.minutes(30)))
struct ContiguityTruthTests {
    @Test("no gap is denied, and none is claimed after a complete sync", arguments: Seeds.first(20), [false, true])
    func truth(seed: UInt64, hasHistory: Bool) throws {
        let run = try TruthRun(seed: seed, hasHistory: hasHistory)
        for step in 0..<TestSize.of(plain: 250, full: 500) {
            let action = try run.act()
            try run.check("seed \(seed), step \(step), \(action)")
        }
        #expect(try run.store.isConsistent())
        #expect(run.proven > 20 && run.denied > 5, "seed \(seed): \(run.proven) pages whole, \(run.denied) not")
        try run.store.close()
    }
}

/// A server that knows all messages, and a device that gets them on every way.
private final class TruthRun {
    private let place: TemporaryStore
    private let hasHistory: Bool
    private var random: SplitMix64
    private(set) var store: MessageStore
    private var time: Int64 = 1_000
    /// All messages of a conversation, in their order.
    private var server: [ConversationKey: [(id: ServerMessageID, time: Int64, isOwn: Bool)]] = [:]
    /// Those that the server delivers with the next sync.
    private var backlog: [(key: ConversationKey, id: ServerMessageID)] = []
    private var known: [ConversationKey: Set<ServerMessageID>] = [:]
    private var handedOver: Set<ServerMessageID> = []
    /// Where a message was handed over since the sync began: the next sync proves that none is missing before it.
    private var overtaking: Set<ConversationKey> = []
    /// Where a message was handed over that is older than all that was known, or than all that a clearing left: the next sync
    /// does not tell that it belongs to them.
    private var disordered: Set<ConversationKey> = []
    private var isConnected = false
    private var isSyncing = false
    private(set) var (proven, denied) = (0, 0)

    private static let keys: [ConversationKey] = [.group("g"), .single("bob"), .group("h")]

    init(seed: UInt64, hasHistory: Bool) throws {
        random = SplitMix64(seed: ~seed)
        self.hasHistory = hasHistory
        place = try TemporaryStore()
        store = try place.open()
        try store.record(Event(SessionStateChanged(.connected)))
        isConnected = true
    }

    func act() throws -> String {
        switch random.nextIndex(hasHistory ? 23 : 21) {
        case 0..<8: return try arrive()
        case 8, 9: return try handOver()
        case 10: return try send()
        case 11, 12: return try end()
        case 13, 14: return try connect()
        case 15..<20: return try sync()
        case 20: return try clear()
        default: return try page()
        }
    }

    private func event(_ key: ConversationKey, _ id: ServerMessageID, _ origin: Origin) -> Event {
        let message = (server[key] ?? []).first { $0.id == id }
        let isOwn = message?.isOwn == true
        return received(
            id, at: message?.time ?? 0, from: isOwn ? "me" : "bob", in: key,
            origin: isOwn && origin != .history ? .otherDevice : origin)
    }

    private func add(_ key: ConversationKey, _ id: ServerMessageID, isOwn: Bool) {
        server[key, default: []].append((id, time, isOwn))
    }

    /// Somebody sends a message, which is pushed to a device that is connected and waits for one that is not.
    private func arrive() throws -> String {
        time += Int64(1 + random.nextIndex(5))
        let (key, id) = (Self.keys[random.nextIndex(3)], ServerMessageID("m\(time)"))
        add(key, id, isOwn: random.chance(0.2))
        guard isConnected else {
            backlog.append((key, id))
            return "\(id) waits in \(key)"
        }
        try store.record(event(key, id, .live))
        known[key, default: []].insert(id)
        return "\(id) live in \(key)"
    }

    /// Another process hands over a message that waits; the sync delivers it again.
    private func handOver() throws -> String {
        guard let waiting = backlog.randomElement(using: &random) else { return "nothing to hand over" }
        let origin: Origin = random.chance(0.3) ? .offline : .live
        try store.record(
            [event(waiting.key, waiting.id, origin)], closing: nil, .durable, isHandedOver: true)
        let all = (server[waiting.key] ?? []).map(\.id).filter {
            known[waiting.key]?.contains($0) == true || $0 == waiting.id
        }
        if all.count > 1, all.first == waiting.id { disordered.insert(waiting.key) }
        known[waiting.key, default: []].insert(waiting.id)
        handedOver.insert(waiting.id)
        overtaking.insert(waiting.key)
        return "\(waiting.id) handed over in \(waiting.key)"
    }

    /// The account sends a message from this device.
    private func send() throws -> String {
        guard isConnected else { return "not connected" }
        time += 1
        let (key, id) = (Self.keys[random.nextIndex(3)], ServerMessageID("m\(time)"))
        let position = try #require(try store.record(queued("own", in: key)).position)
        add(key, id, isOwn: true)
        try store.record(sent(LocalMessageID(position.rawValue), id, at: time, in: key))
        known[key, default: []].insert(id)
        return "\(id) sent to \(key)"
    }

    /// The account erases what came before a message, and the store cuts it off.
    private func clear() throws -> String {
        let key = Self.keys[random.nextIndex(3)]
        let received = (server[key] ?? []).filter { known[key]?.contains($0.id) == true }
        guard random.chance(0.4), let place = received.randomElement(using: &random) else { return "nothing to clear" }
        try store.record(Event(HistoryCleared(upTo: order(place.time, place.id), erases: true), in: key))
        let left = received.first { $0.time > place.time }
        if let left, handedOver.contains(left.id) { disordered.insert(key) }
        return try "cleared \(key) up to \(place.id), \(store.compact().cutEvents) events cut off"
    }

    private func end() throws -> String {
        (isConnected, isSyncing) = (false, false)
        let states: [SessionState] = [.closed, .disconnected, .suspended, .kicked]
        guard let state = random.chance(0.6) ? states.randomElement(using: &random) : nil else {
            try store.close()
            store = try place.open()
            return "the process ended"
        }
        try store.record(Event(SessionStateChanged(state)))
        return "\(state)"
    }

    private func connect() throws -> String {
        if isConnected { return "connected already" }
        (isConnected, isSyncing) = (true, false)
        if random.chance(0.3) { try store.record(Event(SessionStateChanged(.connecting))) }
        try store.record(Event(SessionStateChanged(.connected)))
        return "connected"
    }

    /// One package of the backlog, the oldest messages first; the sync completes where nothing is left.
    private func sync() throws -> String {
        guard isConnected, isSyncing || !backlog.isEmpty || random.chance(0.2) else { return "nothing to sync" }
        if !isSyncing {
            try store.record(Event(OfflineSyncStarted(), origin: .offline))
            overtaking = []
        }
        isSyncing = true
        let count = min(backlog.count, 1 + random.nextIndex(6))
        let package = backlog.prefix(count)
        backlog.removeFirst(count)
        let events = package.map { event($0.key, $0.id, .offline) }
        try store.ingest(OfflinePackage(index: 0, events: events, hasMore: !backlog.isEmpty))
        for (key, id) in package { known[key, default: []].insert(id) }
        guard backlog.isEmpty else { return "synced \(package.map(\.id))" }
        try store.record(Event(OfflineSyncCompleted(), origin: .offline))
        isSyncing = false
        for key in Self.keys where !hasHistory && !overtaking.contains(key) && !disordered.contains(key) {
            let page = try store.page(of: key)
            #expect(page.elements.isEmpty || page.isContiguous, "\(key) after a sync of \(package.map(\.id))")
        }
        return "synced, completely, \(package.map(\.id))"
    }

    /// A page of history is loaded.
    private func page() throws -> String {
        let key = Self.keys[random.nextIndex(3)]
        guard let all = server[key], !all.isEmpty else { return "no history" }
        let first = random.nextIndex(all.count)
        let last = min(all.count - 1, first + random.nextIndex(5))
        let loaded = HistoryPageLoaded(
            newest: order(all[last].time, all[last].id), oldest: order(all[first].time, all[first].id),
            reachesBeginning: first == 0, reachesEnd: isConnected && !isSyncing && last == all.count - 1)
        try store.record(
            all[first...last].map { event(key, $0.id, .history) } + [Event(loaded, in: key, origin: .history)])
        known[key, default: []].formUnion(all[first...last].map(\.id))
        return "loaded \(all[first].id) to \(all[last].id) of \(key)"
    }

    /// No part of a timeline that is called whole lacks a message that the server has.
    func check(_ step: String) throws {
        for key in Self.keys {
            let all = server[key] ?? []
            for limit in [2, 3, 5, 1_000] {
                let page = try store.page(limit: limit, of: key)
                let ids = page.elements.compactMap(\.serverID)
                guard let first = all.firstIndex(where: { $0.id == ids.first }),
                    let last = all.firstIndex(where: { $0.id == ids.last })
                else { continue }
                let missing = all[first...last].filter { known[key]?.contains($0.id) != true }
                if page.isContiguous { #expect(missing.isEmpty, "\(step): \(missing) of \(key) in \(ids)") }
                if page.isContiguous { proven += 1 } else if !missing.isEmpty { denied += 1 }
                let before = all[..<first].last
                if !page.hasGapBefore, let before {
                    #expect(known[key]?.contains(before.id) == true, "\(step): \(before.id) before \(ids) of \(key)")
                }
            }
        }
    }
}
