internal import MessageStoreSearch

/// A conversation as JSON.
struct ConversationOutput: Encodable, Equatable {
    let facts: [Fact]
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
                Fact("lastTime", conversation.lastMessage?.time), Fact("activity", conversation.activity),
                Fact("preview", conversation.lastMessage?.line),
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
            .right("UNREAD"), "LAST", "MARKS", .init(header: "LAST MESSAGE", minimumWidth: 12),
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
    /// The time as tables show it, empty if it is unknown.
    var cell: String { milliseconds > 0 ? description : "" }
}

/// A boolean of a conversation. Every display of conversations takes its booleans from ``all``: lists, JSON,
/// conditions, `why`, `diff --with` and the page.
struct ConversationBoolean: Sendable {
    /// The name in JSON and conditions, such as `mentionsOnly`.
    let name: String
    /// The name in words, such as `mentions only`.
    let words: String
    /// The mark that lists show if it is true; nil for flags that lists do not show.
    let mark: String?
    let value: @Sendable (Conversation) -> Bool
    /// The Swift expression of the value, where `$0` is the conversation.
    let code: String

    init(_ name: String, mark: String? = nil, _ code: String, _ value: @escaping @Sendable (Conversation) -> Bool) {
        (self.name, self.mark, self.code, self.value) = (name, mark, code, value)
        words = name.reduce("") { $0 + ($1.isUppercase ? " \($1.lowercased())" : "\($1)") }
    }

    static let all = [
        ConversationBoolean("pinned", mark: "^", "$0.isPinned") { $0.isPinned },
        ConversationBoolean("muted", mark: "-", "$0.isMuted") { $0.isMuted },
        ConversationBoolean("mentionsOnly", mark: "@", "$0.notificationLevel == .mentionsOnly") {
            $0.notificationLevel == .mentionsOnly
        },
        ConversationBoolean("archived", mark: "a", "$0.isArchived") { $0.isArchived },
        ConversationBoolean("listed", "!$0.isHidden && $0.key.kind != .chatRoom && $0.activity != nil") {
            !$0.isHidden && $0.key.kind != .chatRoom && $0.activity != nil
        },
        ConversationBoolean("deletedFromList", "$0.isHidden") { $0.isHidden },
        ConversationBoolean("outOfDate", "$0.isOutdated") { $0.isOutdated },
    ]

    /// The flags that lists show of a conversation.
    static func marked(_ conversation: Conversation) -> [ConversationBoolean] {
        all.filter { $0.mark != nil && $0.value(conversation) }
    }

    /// The meanings of the marks in lists.
    static let legend = all.compactMap { flag in flag.mark.map { "\($0) \(flag.words)" } }.joined(separator: ", ")
}

/// A message, as JSON and as a line of a table.
struct MessageOutput: Encodable, Equatable {
    let facts: [Fact]
    private let cells: [String]
    /// True if messages may be missing before it; nil if none are known to be, or nobody looked.
    var hasGapBefore: Bool?

    init(_ message: Message, _ views: borrowing Views) throws {
        let name = try views.senderName(of: message)
        let (text, type) = (message.content.text, message.content.type.rawValue)
        facts = [
            Fact("id", Int(message.id.rawValue)), Fact("serverID", message.serverID?.rawValue),
            Fact("conversation", message.conversation.id), Fact("sender", message.sender.rawValue),
            Fact("senderName", name), Fact("time", message.time), Fact("type", type), Fact("text", text),
            Fact("status", message.status.description), Fact("outgoing", message.isOutgoing),
            Fact("recalled", message.isRecalled), Fact("modified", message.isModified),
            Fact("redacted", message.isRedacted), Fact("expires", message.expires),
        ]
        let shown = (message.isModified ? "[edited] " : "") + (text ?? "[\(type)]")
        cells = [
            "\(message.id)", message.time.cell, name, message.status.description,
            message.isRecalled ? "[recalled]" : shown,
        ]
    }

    func encode(to encoder: any Encoder) throws {
        var object = JSONObject(facts)
        object["hasGapBefore"] = hasGapBefore
        try object.encode(to: encoder)
    }

    /// - Parameter endsInGap: Whether messages may be missing after the last one.
    static func table(_ messages: [MessageOutput], endsInGap: Bool = false) -> TextTable {
        var table = TextTable(columns: [
            .right("ID"), "TIME", .init(header: "SENDER", maximumWidth: 20, minimumWidth: 8),
            .init(header: "STATUS", minimumWidth: 8), .init(header: "TEXT", minimumWidth: 20),
        ])
        let gap = ["", "", "", "", "[gap]"]
        for row in messages {
            if row.hasGapBefore == true { table.append(gap) }
            table.append(row.cells)
        }
        if endsInGap { table.append(gap) }
        return table
    }
}

/// A hit of a search, as two lines: its facts, and the part of its text with the found words in bold.
struct SearchOutput {
    private let head: String
    private let parts: [(text: String, isFound: Bool)]

    /// Characters before the first place, and in all.
    private static let (charactersBefore, characters) = (40, 200)

    init(_ hit: SearchHit, _ names: Names) {
        let place = "\(hit.position.rawValue)"
        if let message = hit.message {
            head = [place, message.time.cell, names.label(of: message.conversation), names.label(of: message.sender)]
                .map(\.terminalSafe).joined(separator: "  ")
        } else {
            head = place
        }
        parts = (hit.field == .fileName ? [("[file] ", false)] : []) + Self.parts(hit)
    }

    func lines(_ style: TerminalStyle) -> String {
        let text = parts.map { $0.isFound ? style.bold($0.text.terminalSafe) : $0.text.terminalSafe }
        return "\(head)\n    \(text.joined())\n"
    }

    /// The text around the first place, cut if it is long.
    private static func parts(_ hit: SearchHit) -> [(String, Bool)] {
        let text = hit.text
        let first = hit.highlights.first?.lowerBound ?? text.startIndex
        let start = text.index(first, offsetBy: -charactersBefore, limitedBy: text.startIndex) ?? text.startIndex
        let end = text.index(start, offsetBy: characters, limitedBy: text.endIndex) ?? text.endIndex
        var parts: [(String, Bool)] = start > text.startIndex ? [("…", false)] : []
        var place = start
        for range in hit.highlights where range.lowerBound < end {
            parts.append((String(text[place..<max(place, range.lowerBound)]), false))
            parts.append((String(text[range.lowerBound..<min(range.upperBound, end)]), true))
            place = max(place, min(range.upperBound, end))
        }
        parts.append((String(text[place..<max(place, end)]), false))
        if end < text.endIndex { parts.append(("…", false)) }
        return parts
    }
}
