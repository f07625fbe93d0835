import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Files that the device keeps: the expectations are those of d48 in `Docs/Requirements.md`.
@Suite("Files on this device", .store, .timeLimit(.minutes(30)))
struct LocalFileTests {
    private func file(
        _ message: MessageReference, _ byteCount: UInt64?, path: String? = nil, _ state: AttachmentState = .available,
        in conversation: ConversationKey = group, index: UInt8 = 0
    ) -> Event {
        Event(
            AttachmentStateChanged(message, state: state, localPath: path, byteCount: byteCount, index: index),
            in: conversation)
    }

    private func files(
        _ store: MessageStore, of key: ConversationKey? = nil, by order: LocalFileOrder = .largestFirst
    ) throws -> [LocalFile] {
        try store.read { try $0.localFiles(in: key, by: order).elements }
    }

    private func totals(_ store: MessageStore, of key: ConversationKey? = nil) throws -> [UInt64] {
        let totals = try store.read { try $0.localFileTotals(of: key) }
        return [UInt64(totals.count), totals.byteCount]
    }

    @Test("d48: a file is there from the first event with its size to the next one without")
    func lifetime() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(received("a", at: 1))
            // What tells no size is shown with the message and is no file of the list.
            try store.record(file(.server("a"), nil, path: "/old"))
            #expect(try files(store) == [] && totals(store) == [0, 0])
            #expect(try store.message("a")?.attachment?.localPath == "/old")
            place.time.move(byMilliseconds: 1000)
            let told = place.time.now
            try store.record(file(.server("a"), 70, path: "/tmp/a", .downloading))
            place.time.move(byMilliseconds: 1000)
            try store.record(file(.local(LocalMessageID(1)), 80, path: "/a"))
            let expected = LocalFile(
                message: .server("a"), conversation: group, path: "/a", byteCount: 80, time: told,
                position: Position(3))
            #expect(try files(store) == [expected] && files(store, of: group, by: .oldestFirst) == [expected])
            #expect(try totals(store) == [1, 80] && totals(store, of: group) == [1, 80])
            #expect(try totals(store, of: peer) == [0, 0] && totals(store, of: .group("unknown")) == [0, 0])
            try store.record(file(.server("a"), nil, .uploaded))
            #expect(try files(store) == [] && totals(store) == [0, 0] && totals(store, of: group) == [0, 0])
            try store.record(file(.server("a"), 0, path: "/again"))
            #expect(try files(store).map(\.position) == [Position(6)] && totals(store) == [1, 0])
            #expect(try store.isConsistent())
        }
    }

    @Test("d48: lists by size and age, of a conversation or of all, page by page, and their totals")
    func pages() throws {
        var random = SplitMix64(seed: 48)
        let keys = [group, peer, ConversationKey.group("other")]
        var there: [(key: ConversationKey, id: String, size: UInt64, position: UInt64)] = []
        for _ in 0..<120 {
            let key = keys[random.nextIndex(3)]
            let id = "m\(random.nextIndex(20))"
            let size: UInt64? = random.chance(0.7) ? UInt64(random.nextIndex(9)) : nil
            let event = file(.server(ServerMessageID(id)), size, in: key)
            let position = try #require(try store.record(event).position).rawValue
            let old = there.first { $0.key == key && $0.id == id }
            there.removeAll { $0.key == key && $0.id == id }
            if let size { there.append((key, id, size, old?.position ?? position)) }
        }
        for key in keys.map(Optional.some) + [nil] {
            let wanted = there.filter { key == nil || $0.key == key }
            #expect(try totals(store, of: key) == [UInt64(wanted.count), wanted.reduce(0) { $0 + $1.size }])
            for order in LocalFileOrder.allCases {
                for limit in [1, 7, 1000] {
                    let found = try store.read { views in
                        try views.all(atMost: wanted.count) {
                            try $0.localFiles(in: key, by: order, after: $1, limit: limit)
                        }
                    }
                    #expect(found.map(\.position.rawValue).sorted() == wanted.map(\.position).sorted())
                    switch order {
                    case .largestFirst: #expect(found.map(\.byteCount) == wanted.map(\.size).sorted(by: >))
                    case .oldestFirst: #expect(found.map(\.position) == found.map(\.position).sorted())
                    }
                }
            }
        }
        #expect(try files(store, of: .group("unknown")) == [])
    }

    @Test("d48: the cursor need not be there any more")
    func cursor() throws {
        try store.record(([3, 9, 5] as [UInt64]).map { file(.server(ServerMessageID("m\($0)")), $0) })
        for order in LocalFileOrder.allCases {
            let all = try files(store, by: order)
            try #require(all.count == 3)
            let first = try store.read { try $0.localFiles(by: order, limit: 2) }
            try store.record(file(all[1].message, nil))
            let rest = try store.read { try $0.localFiles(by: order, after: first.next).elements }
            #expect(rest == [all[2]])
            try store.record(file(all[1].message, all[1].byteCount))
        }
    }

    @Test("d48: what becomes of a message leaves its file, which may be recorded before the message")
    func messages() throws {
        let ids: [ServerMessageID] = ["cleared", "deleted", "recalled", "hidden", "later"]
        for (index, id) in ids.enumerated() {
            if id != "later" { try store.record(received(id, at: Int64(10 + index))) }
            try store.record(file(.server(id), UInt64(100 - index), path: "/\(id)"))
        }
        let all = try files(store)
        #expect(all.map(\.message) == ids.map { .server($0) } && all.map(\.path) == ids.map { "/\($0)" })
        try store.record([
            recalled("recalled"), deleted("deleted"), cleared(order(10, "cleared")),
            Event(MessageFiltered(.server("hidden"), verdict: .hide), in: group), received("later", at: 20),
            conversationDeleted(alsoMessages: true),
        ])
        #expect(try files(store) == all && totals(store) == [5, 490])
        try store.record(file(.server("deleted"), nil), file(.server("cleared"), nil))
        #expect(try files(store) == Array(all.dropFirst(2)) && totals(store) == [3, 291])
    }

    @Test("d48: a message has several files, each with its own state, size and age")
    func several() throws {
        try store.record(received("a", at: 1, type: .image))
        try store.record(
            file(.server("a"), 10, path: "/0"), file(.server("a"), 20, path: "/7", .downloading, index: 7),
            file(.server("a"), 10, path: "/255", index: 255))
        let shown = try #require(try store.message("a"))
        #expect(shown.attachments.map(\.index) == [0, 7, 255])
        #expect(shown.attachments.map(\.state) == [.available, .downloading, .available])
        #expect(shown.attachments.map(\.localPath) == ["/0", "/7", "/255"])
        #expect(shown.attachment == shown.attachments[0])
        #expect(try totals(store) == [3, 40] && totals(store, of: group) == [3, 40])
        #expect(try files(store).map(\.index) == [7, 0, 255])
        #expect(try files(store, by: .oldestFirst).map(\.path) == ["/0", "/7", "/255"])
        let first = try store.read { try $0.localFiles(limit: 1) }
        #expect(try store.read { try $0.localFiles(after: first.next).elements.map(\.index) } == [0, 255])
        // Each is cleaned up by itself.
        try store.record(file(.server("a"), nil, .uploaded, index: 0))
        #expect(try files(store).map(\.index) == [7, 255] && totals(store) == [2, 30])
        #expect(try store.message("a")?.attachments.map(\.state) == [.uploaded, .downloading, .available])
        try store.record(file(.server("a"), nil, index: 255), file(.server("a"), nil, index: 7))
        #expect(try files(store) == [] && totals(store) == [0, 0])
    }

    @Test("d48: files that were recorded before their message, or under two names of it, are all there")
    func severalNames() throws {
        let local = try store.local(queued("one"))
        try store.record(
            file(.local(local), 1, path: "/0"), file(.local(local), 2, path: "/1", index: 1),
            file(.server("one"), 30, path: "/new1", index: 1), file(.server("one"), 4, path: "/2", index: 2))
        try store.record(sent(local, "one", at: 1))
        let message = try #require(try store.message("one"))
        #expect(message.attachments.map(\.localPath) == ["/0", "/new1", "/2"])
        #expect(try files(store).map(\.path) == ["/new1", "/2", "/0"] && totals(store) == [3, 35])
        #expect(try files(store).allSatisfy { $0.message == .server("one") })
    }

    @Test("d48: redaction removes the path alone")
    func redacted() throws {
        try store.record(received("a", at: 1), file(.server("a"), 7, path: "/secret"))
        let digests = try store.digests()
        try store.redact(Position(1))
        let file = try #require(try files(store).first)
        #expect(file.path == nil && file.byteCount == 7 && file.message == .server("a"))
        #expect(try totals(store) == [1, 7])
        #expect(try store.digests() == digests && store.isConsistent())
    }

    @Test("d48: of what is recorded under two names of one message the last holds")
    func names() throws {
        let locals = try ["one", "two", "three", "four"].map { try store.local(queued($0)) }
        try store.record([
            file(.local(locals[0]), 1, path: "/one"),
            file(.local(locals[1]), 2), file(.server("two"), 20, path: "/two"),
            file(.server("three"), 3), file(.local(locals[2]), nil),
            file(.local(locals[3]), 4), file(.server("four"), 40), file(.server("four"), nil),
        ])
        #expect(try totals(store) == [5, 30])
        try store.record([
            sent(locals[0], "one", at: 1), sent(locals[1], "two", at: 2), sent(locals[2], "three", at: 3),
            sent(locals[3], "four", at: 4),
        ])
        let left = try files(store, by: .oldestFirst)
        #expect(left.map(\.message) == [.server("one"), .server("two")])
        #expect(left.map(\.path) == ["/one", "/two"] && left.map(\.position) == [Position(5), Position(6)])
        #expect(try totals(store) == [2, 21] && totals(store, of: group) == [2, 21])
    }

    @Test("d48: the file of a repeat is its original's, once")
    func repeats() throws {
        let original = try store.local(received("a", at: 1))
        try store.record(
            received("b", at: 2), file(.server("b"), 5),
            Event(MessageDuplicateSuppressed(serverID: "b", duplicateOf: original, rule: .content), in: group))
        #expect(try files(store).map(\.message) == [.server("b")])
        try store.record(file(.server("b"), 6))
        #expect(try files(store).map(\.message) == [.server("a")] && totals(store) == [1, 6])
        try store.record(file(.server("b"), nil))
        #expect(try files(store) == [] && totals(store) == [0, 0])
        // A file of another id that turns out to be a name of the message.
        try store.record(
            file(.server("more"), 7),
            Event(
                MessageDuplicateSuppressed(serverID: "more", duplicateOf: original, rule: .clientToken), in: group))
        #expect(try files(store).map(\.message) == [.server("a")] && totals(store) == [1, 7])
        try store.record(file(.local(LocalMessageID(1000)), 9))
        #expect(try totals(store) == [1, 7], "a local id that is none")
    }

    @Test("d48: a file that was recorded of an original itself stays next to that of its repeat")
    func originalsOwn() throws {
        let original = try store.local(received("a", at: 1))
        func sizes() throws -> [MessageReference: UInt64] {
            Dictionary(try files(store).map { ($0.message, $0.byteCount) }) { first, _ in first }
        }
        try store.record(
            received("b", at: 2), file(.server("a"), 10, path: "/a"), file(.server("b"), 5, path: "/b"),
            Event(MessageDuplicateSuppressed(serverID: "b", duplicateOf: original, rule: .content), in: group))
        #expect(try sizes() == [.server("a"): 10, .server("b"): 5])
        try store.record(file(.server("b"), 6, path: "/b"))
        #expect(try sizes() == [.server("a"): 10, .server("b"): 6] && totals(store) == [2, 16])
        #expect(try files(store, of: group).map(\.path) == ["/a", "/b"])
        try store.record(file(.server("b"), nil))
        #expect(try sizes() == [.server("a"): 10] && totals(store) == [1, 10])
        // The same where the repeat's file is first told of behind the verdict.
        try store.record(file(.server("b"), 7), file(.server("b"), 8))
        #expect(try sizes() == [.server("a"): 10, .server("b"): 8] && totals(store) == [2, 18])
        // It is the original's as soon as it is told of while the original has none.
        try store.record(file(.server("a"), nil))
        #expect(try sizes() == [.server("b"): 8])
        try store.record(file(.server("b"), 9))
        #expect(try sizes() == [.server("a"): 9])
        try store.record(file(.server("b"), 11))
        #expect(try sizes() == [.server("a"): 11] && totals(store) == [1, 11])
        try store.record(file(.server("a"), 12))
        #expect(try sizes() == [.server("a"): 12] && totals(store) == [1, 12])
    }

    @Test("d48: what is recorded of a repeat's file leaves that of its original when this is acknowledged")
    func repeatOfQueued() throws {
        let original = try store.local(queued("a"))
        try store.record(
            file(.local(original), 4, path: "/a"), received("b", at: 2), file(.server("b"), 5),
            Event(MessageDuplicateSuppressed(serverID: "b", duplicateOf: original, rule: .content), in: group))
        try store.record(file(.server("b"), 6))
        try store.record(sent(original, "a", at: 1))
        #expect(try files(store).map(\.message) == [.server("b"), .server("a")])
        #expect(try totals(store) == [2, 10] && store.isConsistent())
    }

    @Test("d48: a size that no file has is refused; sums of the largest are exact")
    func sizes() throws {
        try store.record(received("a", at: 1))
        for size in [EventLimits.fileBytes + 1, .max] {
            expectError(.invalidArgument) { try store.record(file(.server("a"), size)) }
        }
        #expect(try store.lastPosition() == Position(1))
        try store.record((0..<3).map { file(.server(ServerMessageID("m\($0)")), EventLimits.fileBytes) })
        #expect(try totals(store) == [3, 3 << 40])
    }

    @Test("d48: observed totals follow the files")
    func live() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let shown = Follower(store.observe { try $0.localFileTotals() })
        #expect(try await shown.next() == LocalFileTotals())
        try await store.record(file(.server("a"), 3))
        #expect(try await shown.next() == LocalFileTotals(count: 1, byteCount: 3))
        try await store.close()
    }
}
