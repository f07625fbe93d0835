internal import MessageStore

/// Turns the lines of a chat log into events. `Docs/ChatLog.md` states the rules.
struct ChatLogEvents {
    /// Who stands for the logger, which has no id of its own.
    static let logger = UserID("system")

    /// The events of a line: one, or two for a change of nick.
    static func events(of content: ChatLogLine, line: Int) -> [Event] {
        switch content {
        case .record(let record): events(of: record, line: line)
        case .conversation(let id, let kind, let name):
            [
                Event(
                    ConversationCreated(ConversationFields(name: name)), in: key(id, kind),
                    id: EventID("conversation:\(id)"), origin: .history)
            ]
        case .user(let id, let name):
            [
                Event(
                    ProfilesFetched([Profile(id: UserID(id), name: name)]),
                    id: EventID("user:\(id)"), origin: .history)
            ]
        }
    }

    private static func events(of record: ChatLogRecord, line: Int) -> [Event] {
        switch record.type {
        case .message: [message(record, line, .text, .standard)]
        case .action: [message(record, line, .action, .standard)]
        case .notice: [message(record, line, .notice, .uncounted)]
        case .mode, .system, .other: [message(record, line, .tip, .silent)]
        case .join: [event(record, line, MembersAdded([sender(record)], kind: .joined))]
        case .leave, .quit:
            [event(record, line, MembersRemoved([sender(record)], kind: .left, reason: record.text))]
        case .kick:
            [
                event(
                    record, line,
                    MembersRemoved(
                        [UserID(record.target ?? "")], kind: .kicked, by: sender(record), reason: record.text))
            ]
        case .nick:
            [
                event(record, line, MembersRemoved([sender(record)], kind: .left), "old"),
                event(record, line, MembersAdded([UserID(record.target ?? "")], kind: .joined), "new"),
            ]
        case .topic:
            [
                event(
                    record, line,
                    ConversationUpdated(
                        ConversationFields(attributes: Array((record.text ?? "").utf8)), by: sender(record)))
            ]
        }
    }

    private static func message(
        _ record: ChatLogRecord, _ line: Int, _ type: ContentType, _ policy: MessagePolicy
    ) -> Event {
        let received = MessageReceived(
            serverID: ServerMessageID(identifier(record, line)), sender: sender(record),
            sentTime: Timestamp(milliseconds: record.timeMs ?? 0),
            content: MessageContent(type: type, text: record.text ?? ""), policy: policy)
        return Event(received, in: key(record.conversation, record.kind), origin: .history)
    }

    private static func event(
        _ record: ChatLogRecord, _ line: Int, _ body: any EventPayload, _ part: String = "record"
    ) -> Event {
        Event(
            body, in: key(record.conversation, record.kind),
            id: EventID("\(part):\(record.conversation.utf8.count):\(record.conversation):\(identifier(record, line))"),
            origin: .history,
            serverTime: record.timeMs.map { Timestamp(milliseconds: $0) })
    }

    /// The server's id; else one made of the ordinal, or of the line's number in the file, so that its order is theirs
    /// and the same file gives the same ids again.
    private static func identifier(_ record: ChatLogRecord, _ line: Int) -> String {
        if let id = record.id { return id }
        if let ordinal = record.ordinal { return "n" + NumberFormat.padded(ordinal, 12) }
        return "line" + NumberFormat.padded(Int64(line), 12)
    }

    private static func sender(_ record: ChatLogRecord) -> UserID {
        record.sender.map { UserID($0) } ?? logger
    }

    private static func key(_ id: String, _ kind: ChatLogRecord.Kind) -> ConversationKey {
        ConversationKey(kind == .single ? .single : .group, id)
    }
}
