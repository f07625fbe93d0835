import MessageStore

/// A store with what a timeline shows between its messages, and with names for ids.
struct TeamStore {
    static let key = ConversationKey.group("56d6/#88bc")
    static let others = ConversationKey.group("others")
    /// The position of each step, by its name.
    private(set) var positions: [String: UInt64] = [:]

    static func time(_ seconds: Int64, _ milliseconds: Int64 = 0) -> Timestamp {
        Timestamp(milliseconds: 1_700_000_000_000 + seconds * 1000 + milliseconds)
    }

    /// Lin Wei reads up to a day that is 23 days ahead, Ann up to the second message; messages may be missing before `m4`.
    init(_ store: MessageStore) throws {
        try record(
            "names", .profilesFetched([Profile(id: "u-17", name: "Lin Wei"), Profile(id: "u-18", name: "Ann")]), store)
        try record(
            "created", .conversationCreated(ConversationFields(name: "The team"), members: ["u-17"], in: Self.key),
            store)
        try record("queued", .queued(.text("first\n  second\n\nfourth"), in: Self.key), store)
        let local = LocalMessageID(try store.lastPosition().rawValue)
        try record(
            "sent", Event(MessageSent(message: local, serverID: "m1", sentTime: Self.time(1, 439)), in: Self.key), store
        )
        for number in 2...40 {
            if number == 4 {
                let place = MessageOrder(time: Self.time(4), id: "m4")
                try record("hole", Event(HistoryGapFound(before: place), in: Self.key, origin: .live), store)
            }
            try record(
                "m\(number)",
                .received(
                    ServerMessageID("m\(number)"), from: number % 2 == 0 ? "u-17" : "u-18", in: Self.key,
                    at: Self.time(Int64(number)),
                    content: .text("message \(number): nothing but words to fill the line")), store)
        }
        let ann = MessageReadByPeer(.upTo(Self.time(2)), by: "u-18", at: Self.time(50))
        try record("ann", Event(ann, in: Self.key, origin: .live), store)
        let ahead = MessageReadByPeer(.upTo(Self.time(40 + 23 * 86_400 + 10)), by: "u-17", at: Self.time(51))
        try record("lin", Event(ahead, in: Self.key, origin: .live), store)
        let edit = MessageModified(.server("m20"), content: .text("another text"), at: Self.time(60))
        try record("edit", Event(edit, in: Self.key, origin: .live), store)
        try record("muted", Event(ConversationMuted(), in: Self.key), store)
        let other = Event.received("o1", from: "u-18", in: Self.others, at: Self.time(70), content: .text("elsewhere"))
        try record("other", other, store)
    }

    private mutating func record(_ name: String, _ event: Event, _ store: MessageStore) throws {
        try store.record([event])
        positions[name] = try store.lastPosition().rawValue
    }
}
