/// A chat server in memory, as an account sees it: messages with an id and a time each, in one order.
actor Server {
    /// A message on the wire.
    struct WireMessage: Sendable {
        let id: String
        let conversation: String
        let sender: String
        let time: Int64
        let text: String
        let token: String?
    }

    /// What the server pushes to a client that is connected.
    enum Push: Sendable {
        case message(WireMessage)
        case read(by: String, conversation: String, upTo: Int64)
    }

    /// What came while the client was away, from a cursor on.
    struct Package: Sendable {
        let messages: [WireMessage]
        let cursor: Int
        let hasMore: Bool
    }

    struct Unreachable: Error {}

    private var messages: [WireMessage] = []
    private var readUpTo: [String: Int64] = [:]
    private var connection: AsyncStream<Push>.Continuation?
    private var failures = 0
    private var lostAnswers = 0

    // MARK: What others do

    /// Somebody writes a message.
    @discardableResult
    func write(_ text: String, from sender: String, in conversation: String, token: String? = nil) -> WireMessage {
        let number = messages.count + 1
        let message = WireMessage(
            id: "m\(number)", conversation: conversation, sender: sender,
            time: 1_700_000_000_000 + Int64(number) * 1000,
            text: text, token: token)
        messages.append(message)
        connection?.yield(.message(message))
        return message
    }

    /// Somebody reads all that there is.
    func read(by reader: String, in conversation: String) {
        guard let last = messages.last(where: { $0.conversation == conversation }) else { return }
        connection?.yield(.read(by: reader, conversation: conversation, upTo: last.time))
    }

    /// The next answers: so many calls fail, then so many are carried out without an answer.
    func misbehave(failures: Int = 0, lostAnswers: Int = 0) {
        (self.failures, self.lostAnswers) = (failures, lostAnswers)
    }

    // MARK: What the client asks for

    func connect() -> AsyncStream<Push> {
        let (stream, continuation) = AsyncStream.makeStream(of: Push.self)
        connection = continuation
        return stream
    }

    func disconnect() {
        connection?.finish()
        connection = nil
    }

    /// Takes a message; a token that was taken before is the same message.
    func send(_ text: String, token: String, from sender: String, to conversation: String) throws -> WireMessage {
        if failures > 0 {
            failures -= 1
            throw Unreachable()
        }
        let known = messages.first { $0.token == token }
        let message = known ?? write(text, from: sender, in: conversation, token: token)
        if lostAnswers > 0 {
            lostAnswers -= 1
            throw Unreachable()
        }
        return message
    }

    /// What came after a cursor, oldest first.
    func package(after cursor: Int, limit: Int) -> Package {
        let end = min(cursor + limit, messages.count)
        return Package(
            messages: Array(messages[min(cursor, end)..<end]), cursor: end, hasMore: end < messages.count)
    }

    /// The newest messages of a conversation before a place, oldest first, and whether they are the first ones. A place without
    /// an id stands behind all messages of its time.
    func history(
        of conversation: String, before place: (time: Int64, id: String?)?, limit: Int
    ) -> ([WireMessage], reachesBeginning: Bool) {
        let older = messages.filter { message in
            guard message.conversation == conversation else { return false }
            guard let place, message.time >= place.time else { return true }
            return message.time == place.time && place.id.map { message.id < $0 } ?? true
        }
        return (older.suffix(limit), older.count <= limit)
    }

    func markRead(_ conversation: String, upTo time: Int64) { readUpTo[conversation] = time }

    /// Up to where this account has read each conversation.
    func readState() -> [String: Int64] { readUpTo }

    /// The end of what a new device need not sync: the rest is history.
    func cursor(leaving count: Int) -> Int { max(0, messages.count - count) }
}
