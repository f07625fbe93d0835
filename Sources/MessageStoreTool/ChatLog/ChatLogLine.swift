/// What one line of a chat log's files says.
enum ChatLogLine: Sendable, Equatable {
    /// A message or service event, from `NAME.ndjson.gz`.
    case record(ChatLogRecord)

    /// A conversation and the name it had, if any, from `NAME.convs.ndjson.gz`.
    case conversation(id: String, kind: ChatLogRecord.Kind, name: String?)

    /// A person and the name they had, if any, from `NAME.users.ndjson.gz`.
    case user(id: String, name: String?)
}

extension ChatLogLine: Decodable {
    init(from decoder: any Decoder) throws {
        let fields = ChatLogFields(container: try decoder.container(keyedBy: ChatLogFields.Key.self))
        if let type = try fields.string(.type) {
            self = .record(try fields.record(type: .init(name: type)))
        } else if fields.contains(.type) {
            throw ChatLogLineFault(.wrongFieldType, ChatLogFields.Key.type.rawValue)
        } else if fields.contains(.user) {
            self = .user(id: try fields.requiredString(.user), name: try fields.name())
        } else if try fields.contains(.format) && fields.string(.format) == ExportHeader.format {
            throw ChatLogLineFault(.exportedLog, "`--format events` reads it")
        } else {
            let id = try fields.requiredString(.conv)
            let kind = try fields.kind()
            // A record whose type was lost must not pass for a conversation.
            guard fields.contains(.name) else { throw ChatLogLineFault(.missingField, ChatLogFields.Key.type.rawValue) }
            self = .conversation(id: id, kind: kind, name: try fields.name())
        }
    }
}
