import MessageStore

/// A store in which the server counts recalled messages as unread: the badge is higher than what is seen.
struct ComplaintStore {
    let place: ToolPlace
    static let team = ConversationKey.group("team")

    init() throws {
        place = try ToolPlace()
        try place.record(Self.batches, from: Timestamp(milliseconds: 1_700_000_001_000), every: 1_000)
    }

    private static func message(_ number: Int64) -> Event {
        .received("t\(number)", from: "bob", in: team, at: time(number), content: .text("secret \(number)"))
    }

    private static func time(_ number: Int64) -> Timestamp { Timestamp(milliseconds: 1_000 + number) }

    /// A commit each; positions 1 to 9.
    static let batches: [[Event]] = [
        [message(1), message(2)],
        [message(3)],
        [Event(MessageRecalled(.server("t1")), in: team)],
        [Event(MessageRecalled(.server("t2")), in: team)],
        // The server does not know of the recalls.
        [Event(UnreadCountReported(3, upTo: MessageOrder(time: time(3), id: "t3"), at: time(4)), in: team)],
        // For a moment it is one less, which nobody could see.
        [Event(ConversationRead(), in: team), message(5)],
        [.received("x", from: "al", in: .single("al"), at: time(6), content: .text("hello"))],
    ]
}
