import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("The debug page of a large group", .timeLimit(.minutes(30)))
struct DebugLargeGroupTests {
    @Test("of an event that changes very many rows, a file lists some and says how many there are")
    func rows() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let members = (1...1_500).map { UserID("member\($0)") }
        try store.record(Event(MembersAdded(members, kind: .invited), in: .group("g")))
        let text = try embeddedData(
            of: DebugReport(of: store, from: Position(1), to: store.lastPosition()) { _, _ in }.page())
        #expect(text.contains("of which 1,000 are listed"))
        #expect(text.count < 1_000_000)
        try store.close()
    }
}
