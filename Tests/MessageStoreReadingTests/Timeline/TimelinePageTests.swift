import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d3: pages of a timeline")
struct TimelinePageTests {
    private func withMessages(_ body: (MessageStore) throws -> Void) throws {
        try withTemporaryStore { store throws in
            try store.record(
                (0..<10).map {
                    received(ServerMessageID("m\($0)"), at: Int64($0 * 10), type: $0 % 3 == 0 ? .image : .text)
                })
            try body(store)
        }
    }

    private func names(_ range: ClosedRange<Int>) -> [String] { range.map { "m\($0)" } }

    @Test("B40: the latest messages, oldest first")
    func latest() throws {
        try withMessages { store throws in
            let page = try store.page(limit: 3)
            #expect(page.texts == names(7...9))
            #expect(page.hasOlder && !page.hasNewer)
            #expect(try store.page(limit: 10).hasOlder == false)
            #expect(try store.page(limit: 9).hasOlder)
            #expect(try store.read { try $0.timeline(of: group) }.elements.count == 10)
        }
    }

    @Test(
        "B41, B42: anchors are exclusive, and need time and id",
        arguments: [
            (.message(.server("m5")), 2...4, 6...8), (.order(order(50, "m5")), 2...4, 6...8),
            (.order(order(50)), 3...5, 6...8), (.order(order(50, "m4")), 2...4, 5...7),
            (.order(order(55, "no such")), 3...5, 6...8), (.message(.local(LocalMessageID(6))), 2...4, 6...8),
        ] as [(TimelineAnchor, ClosedRange<Int>, ClosedRange<Int>)])
    func anchors(anchor: TimelineAnchor, older: ClosedRange<Int>, newer: ClosedRange<Int>) throws {
        try withMessages { store throws in
            let before = try store.page(.before(anchor), limit: 3)
            #expect(before.texts == names(older))
            #expect(before.hasOlder && before.hasNewer)
            let after = try store.page(.after(anchor), limit: 3)
            #expect(after.texts == names(newer))
            #expect(after.hasOlder && after.hasNewer)
        }
    }

    @Test("around an anchor, which is in the middle")
    func around() throws {
        try withMessages { store throws in
            let page = try store.page(.around(.message(.server("m5"))), limit: 5)
            #expect(page.texts == names(3...7))
            #expect(page.hasOlder && page.hasNewer)
            #expect(try store.texts(.around(.message(.server("m5"))), limit: 1) == ["m5"])
            #expect(try store.texts(.around(.message(.server("m0"))), limit: 4) == names(0...3))
            let end = try store.page(.around(.message(.server("m9"))), limit: 4)
            #expect(end.texts.last == "m9" && end.hasOlder && !end.hasNewer)
        }
    }

    @Test("both ends: no page beyond the first and the last message")
    func ends() throws {
        try withMessages { store throws in
            let before = try store.page(.before(.message(.server("m0"))))
            #expect(before.elements.isEmpty && !before.hasOlder && before.hasNewer)
            let after = try store.page(.after(.message(.server("m9"))))
            #expect(after.elements.isEmpty && after.hasOlder && !after.hasNewer)
        }
    }

    @Test("walking back and forth by pages meets each message once", arguments: [1, 3, 4, 10])
    func walking(limit: Int) throws {
        try withMessages { store throws in
            var page = try store.page(limit: limit)
            var walked = page.texts
            while page.hasOlder, let first = page.elements.first {
                page = try store.page(.before(.message(.local(first.id))), limit: limit)
                walked = page.texts + walked
            }
            #expect(walked == names(0...9))
            walked = page.texts
            while page.hasNewer, let last = page.elements.last {
                page = try store.page(.after(.message(.local(last.id))), limit: limit)
                walked += page.texts
            }
            #expect(walked.suffix(10) == names(0...9)[...])
        }
    }

    @Test("E25, A31: only the wanted types")
    func types() throws {
        try withMessages { store throws in
            #expect(try store.page(types: [.image]).texts == ["m0", "m3", "m6", "m9"])
            let page = try store.page(.before(.message(.server("m9"))), types: [.image], limit: 2)
            #expect(page.texts == ["m3", "m6"])
            #expect(page.hasOlder && page.hasNewer)
            let newer = TimelinePart.after(.message(.local(LocalMessageID(4))))
            #expect(try store.page(newer, types: [.image], limit: 1).texts == ["m6"])
            #expect(try store.page(types: [.video]).elements.isEmpty)
            #expect(try store.page(types: []).elements.isEmpty)
        }
    }

    @Test("d3: a page of 1000 of 1001, of 20 where no limit is given")
    func largestLimit() throws {
        try withTemporaryStore { store throws in
            try store.record((0..<1001).map { received(ServerMessageID("m\($0)"), at: Int64($0)) })
            let page = try store.page(limit: 1000)
            #expect(page.elements.count == 1000 && page.hasOlder)
            #expect(page.texts.first == "m1")
            #expect(try store.read { try $0.timeline(of: group) }.elements.count == 20)
        }
    }

    @Test(
        "anchors that name no message of the conversation are an error",
        arguments: [.server("nobody"), .server("other"), .local(LocalMessageID(99)), .local(LocalMessageID(0))]
            as [MessageReference])
    func unknownAnchors(reference: MessageReference) throws {
        try withMessages { store throws in
            try store.record(received("other", at: 5, in: peer))
            expectError(.notFound) { _ = try store.page(.before(.message(reference))) }
            expectError(.notFound) { _ = try store.page(.around(.message(.local(LocalMessageID(11))))) }
        }
    }

    @Test("deleted and cleared messages are not shown, and still are anchors")
    func deletedAnchors() throws {
        try withMessages { store throws in
            try store.record(deleted("m5", "m8"), cleared(order(20, "m2")))
            #expect(try store.texts() == ["m3", "m4", "m6", "m7", "m9"])
            #expect(try store.texts(.after(.message(.server("m5")))) == ["m6", "m7", "m9"])
            let page = try store.page(.before(.message(.server("m5"))))
            #expect(page.texts == ["m3", "m4"])
            #expect(!page.hasOlder)
            #expect(try store.texts(.after(.message(.server("m0")))) == ["m3", "m4", "m6", "m7", "m9"])
            #expect(try store.page(.after(.message(.server("m2")))).hasOlder == false)
        }
    }

    @Test("a conversation without messages has an empty page")
    func empty() throws {
        try withMessages { store throws in
            for key in [ConversationKey.group("nobody"), peer] {
                let page = try store.page(of: key)
                #expect(page.elements.isEmpty && !page.hasOlder && !page.hasNewer && !page.reachesBeginning)
            }
        }
    }
}
