/// A message, as JSON and as a line of a table.
struct MessageOutput: Encodable, Equatable {
    private let facts: [Fact]
    private let cells: [String]
    /// True where messages may be missing before it; nil where none are known to be, or nobody looked.
    var hasGapBefore: Bool?

    init(_ message: Message, _ views: borrowing Views) throws {
        let name = try views.displayName(of: message.sender, in: message.conversation)
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
