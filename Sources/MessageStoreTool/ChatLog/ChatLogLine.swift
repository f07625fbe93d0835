/// The content of one line of a chat log's files.
enum ChatLogLine: Sendable, Equatable {
    /// A message or service event, from `NAME.ndjson.gz`.
    case record(ChatLogRecord)
    /// A conversation and the name it had, if any, from `NAME.convs.ndjson.gz`.
    case conversation(id: String, kind: ChatLogRecord.Kind, name: String?)
    /// A person and the name they had, if any, from `NAME.users.ndjson.gz`.
    case user(id: String, name: String?)
}

extension ChatLogLine: Decodable {
    private enum Key: String, CodingKey { case type, user, name, conv, kind, format }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        // The name must be there, and may be null.
        let name = { try fields.decode(String?.self, forKey: .name) }
        if fields.contains(.type) {
            self = .record(try ChatLogRecord(from: decoder))
        } else if fields.contains(.user) {
            self = .user(id: try fields.decode(String.self, forKey: .user), name: try name())
        } else if fields.contains(.format), try fields.decode(String.self, forKey: .format) == ExportHeader.format {
            throw ChatLogLineFault(.exportedLog, "`--format events` reads it")
        } else {
            let id = try fields.decode(String.self, forKey: .conv)
            let kind = try fields.decode(ChatLogRecord.Kind.self, forKey: .kind)
            // A record whose type was lost must not pass for a conversation.
            guard fields.contains(.name) else { throw ChatLogLineFault(.missingField, Key.type.rawValue) }
            self = .conversation(id: id, kind: kind, name: try name())
        }
    }
}
