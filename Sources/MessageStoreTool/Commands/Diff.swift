internal import ArgumentParser
internal import MessageStore

struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what changed in the views between two moments, or what one event changed.",
        discussion: """
            Rows are grouped by projection and told in words, ids in full; of names and other words of people only the \
            length is told. Rows that cannot be decoded are shown in hexadecimal. With --json each changed row is a line.
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(
        parsing: .remaining,
        help: "From and to: each \(Moment.help); negative ones after `--`. One alone: what that event changed.")
    var moments: [Moment]

    @Option(help: "Only this projection; may be given more than once.")
    var projection: [String] = []

    @Option(help: "The maximum number of rows to show.")
    var limit = 200

    func validate() throws {
        guard (1...2).contains(moments.count) else { throw ValidationError("name one moment, or two") }
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        let (from, to) = try positions(in: store)
        let progress = ReplayProgressLine("replaying")
        let chosen = projection.isEmpty ? nil : Set(projection.map { ProjectionID(rawValue: $0) })
        let (changes, count) = try store.replaySession().changes(
            from: from, to: to, of: chosen, limit: limit, progress: progress.update)
        progress.finish()
        if arguments.json {
            for change in changes {
                try JSON.print(DifferenceOutput(difference: change, first: "before", second: "after"))
            }
        } else {
            Self.printText(changes, count, from, to)
        }
    }

    /// - Throws: ``ToolError`` where they are in the wrong order, or there is no event.
    private func positions(in store: MessageStore) throws -> (from: Position, to: Position) {
        let positions = try moments.map { try $0.position(in: store) }
        guard let first = positions.first, let last = positions.last else { throw ToolError.usage("name a moment") }
        guard positions.count == 1 else {
            guard first <= last else { throw ToolError.usage("\(first) comes after \(last)") }
            return (first, last)
        }
        guard first > .origin else { throw ToolError.usage("there is no event at position 0") }
        return (Position(first.rawValue - 1), first)
    }

    /// Tells changes in words, grouped by projection.
    static func printText(_ changes: [RowDifference], _ count: Int, _ from: Position, _ to: Position) {
        print("From \(from) to \(to): \(count) \(count == 1 ? "row" : "rows") changed.")
        var projection: ProjectionID?
        for change in changes {
            if change.projection != projection { print(change.projection.rawValue.terminalSafe) }
            projection = change.projection
            for line in change.changeLines { print("  \(line.terminalSafe)") }
        }
        if count > changes.count { print("\(count - changes.count) more; --limit shows them.") }
    }
}

extension RowDifference {
    /// Table and key, then what changed; in hexadecimal where it cannot be decoded.
    fileprivate var changeLines: [String] {
        let title = title + (first == nil ? " (new)" : second == nil ? " (gone)" : "")
        guard let parts else { return [title, "  \(first ?? "(no row)") -> \(second ?? "(no row)")"] }
        if let onlyRow { return onlyRow.isEmpty ? [title] : [title, "  \(onlyRow)"] }
        return [title] + parts.map { "  \($0.name): \($0.first ?? "(none)") -> \($0.second ?? "(none)")" }
    }
}
