/// A conversation as JSON.
struct ConversationOutput: Encodable, Equatable {
    private let facts: [Fact]
    /// The flags that lists show, in words.
    private let marks: [String]

    init(_ conversation: Conversation) {
        let kind = conversation.kind == conversation.key.kind ? nil : conversation.kind.description
        facts =
            [
                Fact("conversation", conversation.key.id), Fact("channel", conversation.key.channel),
                Fact("kind", conversation.key.kind.description), Fact("recordedKind", kind),
                Fact("name", conversation.displayName), Fact("unread", conversation.unread.messages),
                Fact("mentions", conversation.unread.mentions),
                Fact("markedUnread", conversation.unread.isMarkedUnread),
                Fact("lastTime", conversation.lastMessage?.time), Fact("preview", conversation.lastMessage?.line),
                Fact("draft", conversation.draft), Fact("notificationLevel", "\(conversation.notificationLevel)"),
                Fact("mutedUntil", conversation.mutedUntil), Fact("members", conversation.memberCount),
            ] + ConversationBoolean.all.map { Fact($0.name, $0.value(conversation)) }
        marks = ConversationBoolean.marked(conversation).map(\.words)
    }

    func encode(to encoder: any Encoder) throws {
        var object = JSONObject(facts)
        object["marks"] = marks
        try object.encode(to: encoder)
    }
}

extension Conversation {
    static func table(_ conversations: [Conversation]) -> TextTable {
        var table = TextTable(columns: [
            .init(header: "NAME", maximumWidth: 28, minimumWidth: 8), .init(header: "KIND", minimumWidth: 6),
            .right("UNREAD"), "LAST", "", .init(header: "LAST MESSAGE", minimumWidth: 12),
        ])
        for row in conversations {
            table.append([
                row.displayName, row.kind.description, row.count, row.lastMessage?.time.cell ?? "",
                ConversationBoolean.marked(row).compactMap(\.mark).joined(), row.lastMessage?.line ?? "",
            ])
        }
        return table
    }

    /// A table of names and ids, which are never cut.
    static func tableOfIDs(_ conversations: [Conversation]) -> TextTable {
        var table = TextTable(columns: [.init(header: "NAME", maximumWidth: 28), .right("UNREAD"), "ID"])
        for row in conversations { table.append([row.displayName, row.count, row.key.plainWords]) }
        return table
    }

    private var count: String { NumberFormat.count(unread.messages) + (unread.isMarkedUnread ? "*" : "") }
}

extension MessagePreview {
    /// The sender and the text as one line.
    fileprivate var line: String {
        "\(senderName): " + (isRecalled ? "[recalled]" : text ?? "[\(contentType)]")
    }
}

extension Timestamp {
    /// The time as tables show it, empty where it is unknown.
    var cell: String { milliseconds > 0 ? description : "" }
}
