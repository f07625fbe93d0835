import MessageStore
import Testing

@testable import MessageStoreTestSupport

@Suite("Erasing one of many messages that repeat each other")
struct RepeatChainTests {
    private static let count = 2000

    @Test(
        "a later original takes its repeat with it, and an earlier one all repeats of its repeats",
        arguments: [true, false])
    func chain(isOriginalLater: Bool) throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let messages = try store.record(
            (0..<Self.count).map {
                .received(
                    ServerMessageID("m\($0)"), from: "u", in: group, at: Timestamp(milliseconds: Int64($0)),
                    content: .text("word"))
            }
        ).positions.compactMap(\.self)
        try store.record(
            (1..<Self.count).map { number in
                let (repeating, original) = isOriginalLater ? (number - 1, number) : (number, number - 1)
                return Event(
                    MessageDuplicateSuppressed(
                        serverID: ServerMessageID("m\(repeating)"),
                        duplicateOf: LocalMessageID(messages[original].rawValue), rule: .content),
                    in: group)
            })
        try store.redact(messages[isOriginalLater ? Self.count - 1 : 0])
        let expected = isOriginalLater ? messages.suffix(2) : messages[...]
        #expect(try redacted(store) == Array(expected))
        // The message that it repeats has no words any more.
        let last = try store.record([
            .received("last", from: "u", in: group, at: Timestamp(milliseconds: 9999), content: .text("word"))
        ]).lastPosition
        let verdict = MessageDuplicateSuppressed(
            serverID: "last", duplicateOf: LocalMessageID(messages[Self.count - 1].rawValue), rule: .content)
        try store.record([Event(verdict, in: group)])
        try store.redact(messages[isOriginalLater ? Self.count - 1 : 0])
        #expect(try redacted(store) == expected + [last])
    }

    private func redacted(_ store: MessageStore) throws -> [Position] {
        try store.events(limit: .max).filter(\.isRedacted).map(\.position)
    }
}
