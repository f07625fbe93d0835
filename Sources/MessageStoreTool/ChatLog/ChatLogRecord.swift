/// One message or service event of a chat log.
struct ChatLogRecord: Sendable, Equatable {
    /// How many people a conversation is for.
    enum Kind: String, Sendable {
        case group
        case single
    }

    /// The conversation's id, unique in its file; JSON key `conv`.
    var conversation: String

    /// The kind of the conversation; JSON key `kind`.
    var kind: Kind

    /// The id which the log's server gave to the message, if it gave any; JSON key `id`.
    var id: String?

    /// The sender's id, `nil` for lines of the logger itself; JSON key `from`.
    var sender: String?

    /// Milliseconds since the epoch, never negative, or `nil` where the log tells no time; JSON key `ts`.
    var timeMs: Int64?

    /// What happened; JSON key `type`.
    var type: RecordType

    /// The body: the message text, a reason for leaving, the new topic; JSON key `text`.
    var text: String?

    /// The new name of a `nick`, the person removed by a `kick`; JSON key `to`.
    var target: String?

    /// The line's place in its conversation, never negative, which orders records of the same time; JSON key `n`.
    var ordinal: Int64?
}

extension ChatLogRecord {
    /// The kinds of event that a chat log tells of.
    enum RecordType: Sendable, Equatable {
        case message
        case action
        case notice
        case join
        case leave
        case quit
        case nick
        case topic
        case kick
        case mode
        case system

        /// A type that the reader does not know, kept under its own name.
        case other(String)

        /// The type that a log calls `name`.
        init(name: String) {
            switch name {
            case "message": self = .message
            case "action": self = .action
            case "notice": self = .notice
            case "join": self = .join
            case "leave": self = .leave
            case "quit": self = .quit
            case "nick": self = .nick
            case "topic": self = .topic
            case "kick": self = .kick
            case "mode": self = .mode
            case "system": self = .system
            default: self = .other(name)
            }
        }
    }
}
