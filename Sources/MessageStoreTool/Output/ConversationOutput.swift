internal import MessageStore

/// A conversation, as JSON and as a line of a table.
struct ConversationOutput: Encodable, Equatable {
    let conversation: String
    let channel: String?
    let kind: String
    /// The kind that events told, where it is not that of the key.
    let toldKind: String?
    let name: String
    let unread: Int
    let mentions: Int
    let markedUnread: Bool
    let lastTime: Int64?
    let preview: String?
    let draft: String?
    let pinned: Bool
    let muted: Bool
    let notificationLevel: String
    let mutedUntil: Int64?
    let archived: Bool
    let members: Int

    /// - Parameter hasContent: Whether to show words of people, or their size.
    init(_ conversation: Conversation, hasContent: Bool = true) {
        self.conversation = conversation.key.id
        channel = conversation.key.channel
        kind = conversation.key.kind.description
        toldKind = conversation.kind == conversation.key.kind ? nil : conversation.kind.description
        name = conversation.displayName
        unread = conversation.unread.messages
        mentions = conversation.unread.mentions
        markedUnread = conversation.unread.isMarkedUnread
        lastTime = conversation.lastMessage.map(\.time.milliseconds)
        preview = conversation.lastMessage.map { Self.line($0, hasContent: hasContent) }
        draft = hasContent ? conversation.draft : conversation.draft.map(\.sizeInWords)
        pinned = conversation.isPinned
        muted = conversation.isMuted
        notificationLevel = "\(conversation.notificationLevel)"
        mutedUntil = conversation.mutedUntil?.milliseconds
        archived = conversation.isArchived
        members = conversation.memberCount
    }

    /// The parts of a preview as one line.
    private static func line(_ preview: MessagePreview, hasContent: Bool) -> String {
        if preview.isRecalled { return "\(preview.senderName): [recalled]" }
        let text = hasContent ? preview.text : preview.text.map(\.sizeInWords)
        return "\(preview.senderName): \(text ?? "[\(preview.contentType)]")"
    }

    static func table(_ conversations: [ConversationOutput]) -> TextTable {
        var table = TextTable(columns: [
            .init(header: "NAME", maximumWidth: 28, minimumWidth: 8), .init(header: "KIND", minimumWidth: 6),
            .init(header: "UNREAD", alignment: .right), .init(header: "LAST"), .init(header: "", maximumWidth: 3),
            .init(header: "LAST MESSAGE", minimumWidth: 12),
        ])
        for row in conversations {
            table.append([
                row.name, row.toldKind ?? row.kind, row.count, time(row.lastTime), row.marks, row.preview ?? "",
            ])
        }
        return table
    }

    /// A table of names and ids, which are never cut.
    static func tableOfIDs(_ conversations: [ConversationOutput]) -> TextTable {
        var table = TextTable(columns: [
            .init(header: "NAME", maximumWidth: 28), .init(header: "UNREAD", alignment: .right), .init(header: "ID"),
        ])
        for row in conversations { table.append([row.name, row.count, row.key]) }
        return table
    }

    private var count: String { NumberFormat.count(unread) + (markedUnread ? "*" : "") }

    /// The key as arguments take it.
    private var key: String { "\(kind):\(conversation)" + (channel.map { "#\($0)" } ?? "") }

    /// "^" pinned, "-" muted, "@" where mentions alone notify, "a" in the archive.
    private var marks: String {
        let level = notificationLevel == "\(NotificationLevel.mentionsOnly)" ? "@" : ""
        return (pinned ? "^" : "") + (muted ? "-" : level) + (archived ? "a" : "")
    }

    static func time(_ milliseconds: Int64?) -> String {
        guard let milliseconds, milliseconds > 0 else { return "" }
        return Timestamp(milliseconds: milliseconds).description
    }
}

/// A message, as JSON and as a line of a table.
struct MessageOutput: Encodable, Equatable {
    let id: UInt64
    let serverID: String?
    let conversation: String
    let sender: String
    let senderName: String
    let time: Int64
    let type: String
    let text: String?
    let status: String
    let outgoing: Bool
    let recalled: Bool
    let modified: Bool
    let redacted: Bool
    /// True where a hole lies before it; nil where none is known, or nobody looked.
    var hasHoleBefore: Bool?

    /// - Parameter hasContent: Whether to show words of people, or their size.
    init(_ message: Message, _ views: borrowing Views, hasContent: Bool = true) throws {
        id = message.id.rawValue
        serverID = message.serverID?.rawValue
        conversation = message.conversation.id
        sender = message.sender.rawValue
        senderName = try views.displayName(of: message.sender, in: message.conversation)
        time = message.time.milliseconds
        type = message.content.type.rawValue
        text = hasContent ? message.content.text : message.content.text.map(\.sizeInWords)
        status = message.status.description
        outgoing = message.isOutgoing
        recalled = message.isRecalled
        modified = message.isModified
        redacted = message.isRedacted
    }

    /// - Parameter endsInHole: Whether a hole lies behind the last one.
    static func table(_ messages: [MessageOutput], endsInHole: Bool = false) -> TextTable {
        var table = TextTable(columns: [
            .init(header: "ID", alignment: .right), .init(header: "TIME"),
            .init(header: "SENDER", maximumWidth: 20, minimumWidth: 8), .init(header: "STATUS", minimumWidth: 8),
            .init(header: "TEXT", minimumWidth: 20),
        ])
        let hole = ["", "", "", "", "[hole]"]
        for row in messages {
            if row.hasHoleBefore == true { table.append(hole) }
            let mark = row.modified && !row.recalled ? "[edited] " : ""
            let text = row.recalled ? "[recalled]" : mark + (row.text ?? "[\(row.type)]")
            table.append([
                String(row.id), ConversationOutput.time(row.time), row.senderName, row.status, text,
            ])
        }
        if endsInHole { table.append(hole) }
        return table
    }
}
