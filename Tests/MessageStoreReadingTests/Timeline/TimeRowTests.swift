import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("C20, d26: time rows")
struct TimeRowTests {
    private func shown(_ times: [Int64], _ interval: Duration? = nil) throws -> [String] {
        var shown: [String] = []
        try withTemporaryStore { store throws in
            try store.record(times.enumerated().map { received(ServerMessageID("m\($0)"), at: $1) })
            let page = try store.page()
            let entries = interval.map { page.entries(timeRowsEvery: $0) } ?? page.entries()
            shown = entries.map { entry in
                switch entry {
                case .time(let time): "\(time.milliseconds)"
                case .message(let message): message.content.text ?? ""
                case .event: "an event"
                }
            }
        }
        return shown
    }

    @Test("a time is shown before the first message, and where the gap is strictly greater than the interval")
    func gaps() throws {
        #expect(try shown([1000, 301_000, 601_001]) == ["1000", "m0", "m1", "601001", "m2"])
        #expect(try shown([1, 2, 4], .milliseconds(1)) == ["1", "m0", "m1", "4", "m2"])
        #expect(try shown([1, 2, 2], .zero) == ["1", "m0", "2", "m1", "m2"])
    }

    @Test("a page without messages has no rows")
    func empty() throws {
        #expect(try shown([]).isEmpty)
    }

    @Test("the gap is to the message above, not to the time row above")
    func drift() throws {
        #expect(try shown([1, 200_000, 400_000, 600_000]) == ["1", "m0", "m1", "m2", "m3"])
    }
}
