import MessageStore

/// A conversation of 200 messages, and events that change one of them each.
struct LongStore {
    static let key = ConversationKey.group("long")
    /// The position of each step, by its name.
    private(set) var positions: [String: UInt64] = [:]

    /// The message that each step changes.
    static let expected = ["edited": "m100", "recalled": "m5", "late": "m120-late", "newest": "m190"]

    /// How many messages are older than one.
    static func older(than id: String) -> Int { ["m100": 99, "m5": 4, "m120-late": 120][id] ?? 189 }

    init(_ store: MessageStore) throws {
        func time(_ number: Int64) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + number * 1_000) }
        try store.record(
            (1...200).map { number in
                .received(
                    ServerMessageID("m\(number)"), from: "bob", in: Self.key, at: time(number),
                    content: .text("message \(number): words to fill the line"))
            })
        let reader = MessageReadByPeer(.upTo(time(50)), by: "bob", at: time(201))
        let steps = [
            ("read", Event(reader, in: Self.key, origin: .live)),
            ("edited", Event(MessageModified(.server("m100"), content: .text("others"), at: time(300)), in: Self.key)),
            ("newest", Event(MessageModified(.server("m190"), content: .text("others"), at: time(300)), in: Self.key)),
            ("recalled", Event(MessageRecalled(.server("m5")), in: Self.key)),
            (
                "late",
                .received(
                    "m120-late", from: "bob", in: Self.key, at: time(120), content: .text("late"), origin: .history)
            ),
            ("muted", Event(ConversationMuted(), in: Self.key)),
        ]
        for (name, event) in steps {
            try store.record([event])
            positions[name] = try store.lastPosition().rawValue
        }
    }
}
