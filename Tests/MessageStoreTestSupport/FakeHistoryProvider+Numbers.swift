import MessageStore

/// Messages `m1`, `m2`, … at 10 ms, 20 ms, ….
extension FakeHistoryProvider {
    /// - Parameters:
    ///   - count: How many messages the server has.
    ///   - answer: What to make of the right answer.
    convenience init(_ count: Int, _ answer: @escaping Script = { $1 }) {
        self.init((1...count).map { Self.message($0) }, answer)
    }

    static func message(_ number: Int) -> MessageReceived {
        MessageReceived(
            serverID: ServerMessageID("m\(number)"), sender: "bob", sentTime: ms(Int64(number * 10)),
            content: .text("m\(number)"))
    }

    static func place(_ number: Int) -> MessageOrder { order(Int64(number * 10), ServerMessageID("m\(number)")) }
}
