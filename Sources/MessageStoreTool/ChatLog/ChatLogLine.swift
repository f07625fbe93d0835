/// What one line of a chat log's files says.
enum ChatLogLine: Sendable, Equatable {
    /// A message or service event, from `NAME.ndjson.gz`.
    case record(ChatLogRecord)

    /// A conversation and the name it had, if any, from `NAME.convs.ndjson.gz`.
    case conversation(id: String, kind: ChatLogRecord.Kind, name: String?)

    /// A person and the name they had, if any, from `NAME.users.ndjson.gz`.
    case user(id: String, name: String?)
}
