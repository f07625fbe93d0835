internal import ArgumentParser

struct Unread: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show unread totals.",
        discussion: "The total and the kinds leave muted conversations out; chat rooms never count.")

    struct Output: Encodable, Equatable {
        let total: Int
        let badge: Int
        let mentions: Int
        let conversations: Int
        let totalWithMuted: Int
        let kinds: [String: Int]
    }

    @OptionGroup var views: ViewArguments

    func run() throws {
        let output = try views.read { try Self.output($0) }
        if views.arguments.json { return try JSON.print(output) }
        Self.table(output).print()
    }

    static func table(_ output: Output) -> TextTable {
        var table = TextTable(columns: ["UNREAD", .right("MESSAGES")])
        for (kind, count) in output.kinds.ordered(by: { $0.key < $1.key }) {
            table.append([kind, NumberFormat.count(count)])
        }
        table.append(["total", NumberFormat.count(output.total)])
        table.append(["with muted", NumberFormat.count(output.totalWithMuted)])
        table.append(["mentions", NumberFormat.count(output.mentions)])
        table.append(["conversations", NumberFormat.count(output.conversations)])
        return table
    }

    static func output(_ views: borrowing Views) throws -> Output {
        let totals = try views.unreadTotals()
        var kinds: [String: Int] = [:]
        for kind in [ConversationKind.single, .group, .system] {
            kinds[kind.description] = try views.unreadTotals(kinds: [kind]).messages
        }
        let others = try views.unreadTotals().messages - kinds.values.reduce(0, +)
        if others > 0 { kinds["other"] = others }
        return Output(
            total: totals.messages, badge: totals.badge, mentions: totals.mentions, conversations: totals.conversations,
            totalWithMuted: try views.unreadTotals(includesMuted: true).messages, kinds: kinds)
    }
}

struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "profile", abstract: "Show what is known of a user.")

    @OptionGroup var views: ViewArguments

    @Argument(help: "The user: an id, or a name that no other has.")
    var id: String

    func run() throws {
        let cached = try views.read { try $0.profile(findUser(id, $0)) }
        let profile = cached.info
        guard !views.arguments.json else {
            return try JSON.print(
                [
                    "id": profile.id, "name": cached.displayName, "userID": profile.userID,
                    "avatarURL": profile.avatarURL, "placeholder": cached.isPlaceholder, "stale": cached.isStale,
                    "failed": cached.hasFailed,
                ] as JSONObject)
        }
        var table = TextTable(columns: ["FIELD", "VALUE"])
        table.append(["id", profile.id.rawValue])
        table.append(["name", cached.displayName])
        if let userID = profile.userID { table.append(["user id", userID]) }
        if let avatar = profile.avatarURL { table.append(["avatar", avatar]) }
        let state = cached.isPlaceholder ? "no profile is known" : cached.isStale ? "stale" : "known"
        table.append(["state", cached.hasFailed ? state + ", last fetch failed" : state])
        table.print()
    }
}
