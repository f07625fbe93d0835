#if SQLite
internal import Foundation
internal import MessageStoreMigration

/// The SQL statements that read another app's database; their columns are named after the fields of rows.
struct MigrationMap {
    /// A row with a value that its field does not take.
    struct BadValue: Error {
        let words: String
    }

    let conversations: String?
    let messages: String?

    init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ToolError.usage("cannot read \(path)")
        }
        guard let map = try? JSONDecoder().decode([String: String].self, from: data), !map.isEmpty,
            map.keys.allSatisfy({ $0 == "conversations" || $0 == "messages" })
        else {
            throw ToolError.usage(
                "\(path) is no JSON object of SQL statements with the keys conversations and messages")
        }
        (conversations, messages) = (map["conversations"], map["messages"])
    }

    /// The rows of a file: the conversations, then the messages. Both statements are checked first.
    func rows(of file: SQLiteFile) throws -> () throws -> OldRow? {
        var readers: [() throws -> OldRow?] = []
        if let conversations {
            let empty = OldConversation(ConversationKey(.unspecified, ""))
            let next = try Self.reader(file.rows(of: conversations), empty, Self.conversationFields, "conversations")
            readers.append { try next().map { .conversation($0) } }
        }
        if let messages {
            let empty = OldMessage(
                in: ConversationKey(.unspecified, ""), from: "", at: .unknown, content: MessageContent(type: .text))
            let next = try Self.reader(file.rows(of: messages), empty, Self.messageFields, "messages")
            readers.append { try next().map { .message($0) } }
        }
        return {
            while let read = readers.first {
                if let row = try read() { return row }
                readers.removeFirst()
            }
            return nil
        }
    }

    private static func reader<Row>(
        _ rows: SQLiteRows, _ empty: Row, _ fields: [OldField<Row>], _ name: String
    ) throws -> () throws -> Row? {
        let columns = try rows.columns.map { column in
            guard let field = fields.first(where: { $0.name == column }) else {
                throw ToolError.usage("\(name) has no field \(column)" + column.remedy(among: fields.map(\.name)))
            }
            return field
        }
        var number = 0
        return {
            guard try rows.next() else { return nil }
            var row = empty
            for (index, field) in columns.enumerated() {
                let value = rows[index]
                guard value == .null || field.assign(&row, value) else {
                    number += 1
                    throw BadValue(words: "row \(number - 1) of \(name): \(field.name) has a value of another kind")
                }
            }
            number += 1
            return row
        }
    }
}

/// A field of a row: its name as a column, and how a value is assigned, if it is one of its kind.
struct OldField<Row> {
    let name: String
    let assign: (inout Row, SQLiteValue) -> Bool

    /// - Parameter read: The value of the field in a column; nil if it is none.
    init<Value>(_ name: String, _ path: WritableKeyPath<Row, Value>, _ read: @escaping (SQLiteValue) -> Value?) {
        self.name = name
        assign = { row, value in
            guard let value = read(value) else { return false }
            row[keyPath: path] = value
            return true
        }
    }

    /// A field that may have no value.
    init<Value>(
        _ name: String, optional path: WritableKeyPath<Row, Value?>, _ read: @escaping (SQLiteValue) -> Value?
    ) {
        self.init(name, path) { value in read(value).map { .some($0) } }
    }
}

extension SQLiteValue {
    fileprivate var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded())
        default: nil
        }
    }
    /// An id: numbers as their digits.
    fileprivate var id: String? {
        switch self {
        case .integer(let value): String(value)
        case .text(let value): value
        default: nil
        }
    }
    /// A text; bytes that are no UTF-8 are replaced.
    fileprivate var text: String? {
        if case .blob(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { id }
    }
    fileprivate var bytes: [UInt8]? {
        if case .blob(let bytes) = self { bytes } else { id.map { Array($0.utf8) } }
    }
    fileprivate var flag: Bool? { integer.map { $0 != 0 } }
    fileprivate var time: Timestamp? { integer.map { Timestamp(milliseconds: $0) } }
}

extension MigrationMap {
    static var conversationFields: [OldField<OldConversation>] {
        [
            OldField("kind", \.key.kind) { $0.id.flatMap { ConversationKind($0) } },
            OldField("id", \.key.id, \.id),
            OldField("channel", optional: \.key.channel, \.id),
            OldField("name", optional: \.fields.name, \.text),
            OldField("avatarURL", optional: \.fields.avatarURL, \.text),
            OldField("activity", optional: \.activity, \.time),
            OldField("isPinned", \.isPinned, \.flag),
            OldField("isMuted", \.isMuted, \.flag),
            OldField("isArchived", \.isArchived, \.flag),
            OldField("isMarkedUnread", \.isMarkedUnread, \.flag),
            OldField("readTime", optional: \.readTime, \.time),
            OldField("readID", optional: \.readID, \.id),
            OldField("unreadCount", optional: \.unreadCount) { $0.integer.flatMap { UInt32(exactly: $0) } },
            OldField("draft", optional: \.draft, \.text),
            OldField("draftTime", optional: \.draftTime, \.time),
            OldField("messageCount", optional: \.messageCount) { $0.integer.map { Int($0) } },
            OldField("isContiguous", \.isContiguous, \.flag),
        ]
    }
    static var messageFields: [OldField<OldMessage>] {
        [
            OldField("kind", \.conversation.kind) { $0.id.flatMap { ConversationKind($0) } },
            OldField("conversation", \.conversation.id, \.id),
            OldField("channel", optional: \.conversation.channel, \.id),
            OldField("serverID", optional: \.serverID) { $0.id.map { ServerMessageID($0) } },
            OldField("localID", optional: \.localID, \.id),
            OldField("sender", \.sender) { $0.id.map { UserID($0) } },
            OldField("senderName", optional: \.senderName, \.text),
            OldField("time", \.time, \.time),
            OldField("contentType", \.content.type) { $0.id.map { ContentType($0) } },
            OldField("text", optional: \.content.text, \.text),
            OldField("data", \.content.data, \.bytes),
            OldField("attributes", \.content.attributes, \.bytes),
            OldField("replyTo", optional: \.context.replyTo) { $0.id.map { ServerMessageID($0) } },
            OldField("status", \.status) { value in MessageStatus.names.first { $0.value == value.id }?.key },
            OldField("isRead", optional: \.isRead, \.flag),
            OldField("isSilent", \.isSilent, \.flag),
            OldField("isRecalled", \.isRecalled, \.flag),
            OldField("isDeleted", \.isDeleted, \.flag),
            OldField("editedTime", optional: \.editedTime, \.time),
        ]
    }
}

extension OldConversation {
    fileprivate var readTime: Timestamp? {
        get { readUpTo?.time }
        set { readUpTo = newValue.map { MessageOrder(time: $0, id: readUpTo?.id) } }
    }
    fileprivate var readID: String? {
        get { readUpTo?.id?.rawValue }
        set { readUpTo = MessageOrder(time: readUpTo?.time ?? .unknown, id: newValue.map { ServerMessageID($0) }) }
    }
}

extension OldMessage {
    fileprivate var isSilent: Bool {
        get { policy == .silent }
        set { policy = newValue ? .silent : .standard }
    }
}
#endif
