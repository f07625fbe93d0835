internal import ArgumentParser

struct Messages: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a page of a conversation's messages, oldest first.",
        discussion: """
            A message is named by its ID as listed, or its server id; where a number could be either, as local:ID or \
            server:ID. Without one, the newest are shown. [gap] marks where messages may be missing.
            """)

    @OptionGroup var views: ViewArguments

    @Argument(help: "The conversation: its name, its id, kind:id or kind:id#channel.")
    var conversation: String

    @Option(help: "Show messages older than this one.")
    var before: String?

    @Option(help: "Show messages newer than this one.")
    var after: String?

    @Option(help: "Show messages before and after this one, and itself.")
    var around: String?

    @Option(help: "The maximum number of messages, 1 to 1000.")
    var limit = 20

    @Flag(help: "Show all messages, or all after --after, whatever the limit.")
    var all = false

    @OptionGroup var damage: DamageArguments

    func validate() throws {
        guard [before, after, around].count(where: { $0 != nil }) < 2 else {
            throw ValidationError("give one of --before, --after and --around")
        }
        guard before == nil && around == nil || !all else {
            throw ValidationError("--all ends at the newest message: give neither --before nor --around")
        }
    }

    func run() throws {
        let skipped = damage.skipped
        var rows: [MessageOutput] = []
        var endsInGap = false
        try views.read { views in
            let key = try findConversation(conversation, views)
            var gaps: [LocalMessageID?] = []
            try views.forEachGap(in: key) { gaps.append($0.after) }
            var shown: LocalMessageID?
            try forEachMessage(of: key, views, onDamage: skipped?.note) { message in
                var row = try MessageOutput(message, views)
                shown = message.id
                if gaps.contains(message.id) { row.hasGapBefore = true }
                if self.views.arguments.json { try JSON.print(row) } else { rows.append(row) }
            }
            let newest = try views.timeline(of: key, limit: 1, onDamage: { _ in }).elements.last?.id
            endsInGap = gaps.contains(nil) && shown == newest
        }
        if !views.arguments.json { MessageOutput.table(rows, endsInGap: endsInGap).print() }
        try skipped?.finish()
    }

    private func forEachMessage(
        of key: ConversationKey, _ views: borrowing Views, onDamage: ((StoreError) throws -> Void)?,
        _ body: (Message) throws -> Void
    ) throws {
        guard all else {
            let part: TimelinePart =
                if let before {
                    try .before(anchor(before, in: key, views))
                } else if let after {
                    try .after(anchor(after, in: key, views))
                } else if let around {
                    try .around(anchor(around, in: key, views))
                } else {
                    .latest
                }
            return try views.timeline(of: key, part, limit: limit, onDamage: onDamage).elements.forEach(body)
        }
        let start = try after.map { try anchor($0, in: key, views) }
        try views.forEachPage(of: key, after: start, onDamage: onDamage) { try $0.elements.forEach(body) }
    }

    private func anchor(_ text: String, in key: ConversationKey, _ views: borrowing Views) throws -> TimelineAnchor {
        let argument = MessageArgument(text)
        var found: Set<LocalMessageID> = []
        for reference in argument.references {
            if let local = try views.local(of: reference, in: key) { found.insert(local) }
        }
        guard found.count < 2 else { throw argument.ambiguity }
        guard let local = found.first else { throw ToolError.usage("\(key) has no message \(text)") }
        return .message(.local(local))
    }
}
