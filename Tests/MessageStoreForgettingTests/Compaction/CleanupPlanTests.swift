import MessageStore
import MessageStoreModel
import MessageStoreWorkload
import Testing
@testable import MessageStoreTestSupport

@Suite("Plans of a clean-up", .timeLimit(.minutes(30)))
struct CleanupPlanTests {
    private static let day: Int64 = 86_400_000

    /// The time at which a day of the store begins.
    private static func start(of day: Int) -> Timestamp { Timestamp(milliseconds: (20_000 + Int64(day)) * Self.day) }

    private static let rooms: [ConversationKey] = [.group("one"), .group("two"), .single("amy")]

    private let place: TemporaryStore
    private let store: MessageStore
    /// The sizes of the files on this device by the server's ids of their messages.
    private var files: [ServerMessageID: UInt64] = [:]
    private var starred: Set<ServerMessageID> = []

    /// Fills a store with 60 days of messages, of which some have edits, reactions, files, stars or pins; the last days of
    /// one room are unread.
    init() throws {
        place = try TemporaryStore()
        place.time.set(Self.start(of: 61))
        store = try place.open(account: "me")
        var random = SplitMix64(seed: 7)
        for number in 0..<TestSize.of(plain: 600, full: 6_000) {
            let room = Self.rooms[number % 3]
            let id = ServerMessageID("m\(number)")
            let isImage = random.chance(0.2)
            let offset = Int64(number) * 60 * Self.day / Int64(TestSize.of(plain: 600, full: 6_000)) + 1
            let time = Timestamp(milliseconds: Self.start(of: 0).milliseconds + offset)
            let text = String(repeating: "字 word ", count: 1 + random.nextIndex(30))
            let content = MessageContent(type: isImage ? .image : .text, text: text)
            var events: [Event] = [
                .received(id, from: number % 2 == 0 ? "amy" : "bob", in: room, at: time, content: content)
            ]
            if random.chance(0.1) {
                events.append(
                    .modified(
                        .server(id), content: MessageContent(type: content.type, text: "edited \(text)"), in: room,
                        at: time, origin: .live))
            }
            if random.chance(0.1) {
                events.append(Event(ReactionAdded(.server(id), key: "👍", by: "amy", at: time), in: room))
            }
            if isImage, random.chance(0.5) {
                files[id] = UInt64(1 + random.nextIndex(50_000))
                events.append(
                    Event(
                        AttachmentStateChanged(
                            .server(id), state: .available, localPath: "/files/\(number)", byteCount: files[id]),
                        in: room))
            }
            if number % 50 == 7 {
                starred.insert(id)
                events.append(Event(MessageStarred(.server(id), true), in: room))
            }
            try store.record(events)
        }
        for room in Self.rooms.dropLast() { try store.record(.read(in: room)) }
        let half = try store.read { try $0.timeline(of: .single("amy"), limit: 1_000).elements }[50]
        try store.record(.read(upTo: half.order, in: .single("amy")))
        // A flush in the background would change the tables, and so the bytes of later plans.
        try store.flush()
    }

    private func messages() throws -> [ConversationKey: [Message]] {
        try store.read { views in
            var messages: [ConversationKey: [Message]] = [:]
            for room in Self.rooms {
                var page = try views.timeline(of: room, limit: 1_000)
                messages[room] = page.elements
                while page.hasOlder, let oldest = page.elements.first {
                    page = try views.timeline(of: room, .before(.message(.local(oldest.id))), limit: 1_000)
                    messages[room] = page.elements + (messages[room] ?? [])
                }
            }
            return messages
        }
    }

    private func recordBytes() throws -> Int {
        try store.sizes().parts.values.reduce(0) { $0 + $1.recordBytes }
    }

    /// Carries a plan out, and compares what it freed with what it said.
    private func check(_ plan: CleanupPlan, expecting expected: [ConversationKey: [Message]]) throws {
        let counts = expected.filter { !$0.value.isEmpty }.mapValues(\.count)
        #expect(plan.messages == counts)
        let ids = Set(expected.values.joined().compactMap(\.serverID))
        let expectedFiles = files.filter { ids.contains($0.key) }
        #expect(plan.files.count == expectedFiles.count)
        #expect(plan.fileBytes == Int(expectedFiles.values.reduce(0, +)))
        let (before, bytes, last) = (try messages(), try recordBytes(), try store.lastPosition())
        let unread = try store.read { try $0.unreadTotals() }
        try store.carryOut(plan)
        for file in plan.files {
            try store.record(
                Event(AttachmentStateChanged(file.message, state: .uploaded, index: file.index), in: file.conversation))
        }
        try store.compact()
        let added = try store.events(from: Position(last.rawValue + 1), limit: .max).reduce(0) { $0 + $1.byteCount }
        let freed = bytes - (try recordBytes() - added)
        #expect(abs(freed - plan.recordBytes) * 20 <= freed, "\(plan.recordBytes) planned, \(freed) freed")
        let gone = Set(expected.values.joined().map(\.id))
        let left = try messages().mapValues { $0.map(\.id) }
        #expect(left == before.mapValues { $0.map(\.id).filter { !gone.contains($0) } })
        #expect(try store.read { try $0.unreadTotals() } == unread)
        #expect(try store.read { try $0.localFiles(limit: 1_000).elements.count } == files.count - expectedFiles.count)
    }

    /// The messages that may go: read, below all unread ones, without a star.
    private func removable(_ isWanted: (Message) -> Bool) throws -> [ConversationKey: [Message]] {
        try messages().mapValues { messages in
            messages.prefix { $0.isRead != false }.filter { message in
                !starred.contains(message.serverID ?? "") && isWanted(message)
            }
        }
    }

    @Test(
        "messages that are older go as the plan says, by count, by bytes of records and by files",
        arguments: [3, 30, 61])
    func age(days: Int) throws {
        let end = Self.start(of: days)
        let plan = try store.plan(olderThan: end)
        try check(plan, expecting: removable { $0.time < end })
    }

    @Test("messages of a content type go, in one conversation or in all", arguments: [true, false])
    func types(isOne: Bool) throws {
        let plan = try store.plan(types: [.image], conversations: isOne ? [.group("two")] : nil)
        var expected = try removable { $0.content.type == .image }
        if isOne { expected = expected.filter { $0.key == .group("two") } }
        try check(plan, expecting: expected)
    }

    @Test("messages that were recorded or starred after the plan stay", arguments: [nil, [.text] as Set<ContentType>])
    func sparing(types: Set<ContentType>?) throws {
        let plan = try store.plan(types: types)
        let expected = try removable { types?.contains($0.content.type) ?? true }
        let starred = try #require(expected[.group("one")]?.first)
        let late = Event.received(
            "late", from: "bob", in: .group("one"), at: Self.start(of: 1), content: .text("late"), origin: .history)
        try store.record([Event(MessageStarred(.local(starred.id), true), in: .group("one")), late])
        let before = try messages().mapValues { $0.map(\.id) }
        try store.carryOut(plan)
        let gone = Set(expected.values.joined().map(\.id)).subtracting([starred.id])
        let left = try messages().mapValues { $0.map(\.id) }
        #expect(left == before.mapValues { $0.filter { !gone.contains($0) } })
        #expect(try store.message("late", in: .group("one")) != nil)
    }

    @Test("a plan frees what is asked, and a day less would not", arguments: [0.1, 0.5, 0.9])
    func freeing(share: Double) throws {
        let all = try store.plan()
        let bytes = Int(Double(all.bytes) * share)
        let plan = try store.plan(freeing: bytes)
        #expect(plan.bytes >= bytes && plan.bytes < all.bytes)
        // Brute force over all days.
        let first = try (1...61).first {
            try store.plan(olderThan: Self.start(of: $0)).bytes >= bytes
        }
        let day = try #require(first)
        #expect(try store.plan(olderThan: Self.start(of: day)) == plan)
        #expect(try store.plan(freeing: .max) == all)
        #expect(throws: StoreError.self) { try store.plan(freeing: 0) }
        #expect(throws: StoreError.self) { try store.plan(conversations: [.group("unknown")]) }
    }

    @Test("random logs: a plan clears what retain clears, and its bytes are those that go", arguments: Seeds.first(10))
    func random(seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try place.open(account: RandomEvents.account)
        var random = RandomEvents(seed: seed)
        while try store.lastPosition().rawValue < TestSize.of(plain: 400, full: 2_000) {
            try store.record(random.nextBatch(after: store.lastPosition()))
            place.time.move(byMilliseconds: 1000)
        }
        try store.compact()
        var policy = RetentionPolicy()
        policy.standard = .init(age: .milliseconds(1))
        place.time.move(byMilliseconds: 1)
        let plan = try store.plan(olderThan: Timestamp(milliseconds: place.time.now.milliseconds - 1))
        #expect(try store.retain(policy, isDryRun: true).messages == plan.messages)
        let (bytes, last) = (try store.sizes().parts.values.reduce(0) { $0 + $1.recordBytes }, try store.lastPosition())
        try store.carryOut(plan)
        for file in plan.files {
            try store.record(
                Event(AttachmentStateChanged(file.message, state: .uploaded, index: file.index), in: file.conversation))
        }
        try store.compact()
        let added = try store.events(from: Position(last.rawValue + 1), limit: .max).reduce(0) { $0 + $1.byteCount }
        let left = try store.sizes().parts.values.reduce(0) { $0 + $1.recordBytes }
        let freed = bytes - (left - added)
        #expect(abs(freed - plan.recordBytes) * 20 <= max(freed, 2_000), "\(plan.recordBytes) planned, \(freed) freed")
        try store.close()
    }
}
