import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d2: the order of messages", .store)
struct MessageOrderTests {
    @Test("d2: by server time, then by the bytes of the server id, however they arrive")
    func serverOrder() throws {
        let events = [
            received("b", at: 10), received("a", at: 10), received("B", at: 10), received("ab", at: 10),
            received("z", at: 9), received("\u{E9}", at: 10), received("first", at: 0),
        ]
        for shift in events.indices {
            try withTemporaryStore { store throws in
                for event in events[shift...] + events[..<shift] { try store.record(event) }
                #expect(try store.texts() == ["first", "z", "B", "a", "ab", "b", "\u{E9}"])
            }
        }
    }

    @Test("d2: unsent messages sort last, by local id, and move when they are acknowledged")
    func unsentLast() throws {
        let first = try store.local(queued("one"))
        let second = try store.local(queued("two"))
        try store.record(received("x", at: 4_000_000_000_000), received("y", at: 5))
        #expect(try store.texts() == ["y", "x", "one", "two"])
        try store.record(sent(second, "s2", at: 6))
        #expect(try store.texts() == ["y", "two", "x", "one"])
        try store.record(sent(first, "s1", at: 7))
        #expect(try store.texts() == ["y", "two", "one", "x"])
    }

    @Test("d2: the largest allowed time sorts before what is unsent")
    func largestTime() throws {
        try store.record(queued("mine"), received("last", at: Timestamp.latest.milliseconds))
        #expect(try store.texts() == ["last", "mine"])
    }

    @Test(
        "d2: times outside the allowed range are refused and nothing of the batch is kept",
        arguments: [-1, Timestamp.latest.milliseconds + 1, .min, .max])
    func badTimes(time: Int64) throws {
        let batch = [received("a", at: 1), received("b", at: time)]
        expectError(.invalidArgument) { try store.record(batch) }
        #expect(try store.lastPosition() == .origin)
        #expect(try store.texts().isEmpty)
    }
}
