internal import ArgumentParser
internal import MessageStore

struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what changed in the views between two moments, or what one event changed.",
        discussion: """
            Rows are grouped by projection and told in words, ids in full; of names and other words of people only the \
            length is told. Rows that cannot be decoded are shown in hexadecimal. With --json each changed row is a line.
            """)

    struct Output: Encodable {
        let projection: String
        let table: String
        /// Name and value of each part of the key.
        let keyParts: [Part]?
        /// The parts that changed.
        let parts: [Part]?
        /// In hexadecimal, where key or row cannot be decoded.
        let key: String?
        let before: String?
        let after: String?

        struct Part: Encodable {
            let name: String
            var value: String?
            var before: String?
            var after: String?
        }

        init(_ change: RowChange) {
            projection = change.projection.rawValue
            table = change.table
            keyParts = change.keyParts?.map { Part(name: $0.name, value: $0.value) }
            parts = change.parts?.map { Part(name: $0.name, before: $0.before, after: $0.after) }
            key = change.keyParts == nil ? change.key : nil
            before = change.parts == nil ? change.before : nil
            after = change.parts == nil ? change.after : nil
        }
    }

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
            for change in changes { try JSON.print(Output(change)) }
        } else {
            printText(changes, count, from, to)
        }
    }

    /// - Throws: ``ToolError`` where they are in the wrong order, or there is no event.
    private func positions(in store: MessageStore) throws -> (from: Position, to: Position) {
        let positions = try moments.map { try $0.position(in: store) }
        guard let first = positions.first, let last = positions.last else { throw ToolError.usage("name a moment") }
        guard positions.count == 1 else {
            guard first <= last else { throw ToolError.usage("\(first) is behind \(last)") }
            return (first, last)
        }
        guard first > .origin else { throw ToolError.usage("there is no event at position 0") }
        return (Position(first.rawValue - 1), first)
    }

    private func printText(_ changes: [RowChange], _ count: Int, _ from: Position, _ to: Position) {
        print("From \(from) to \(to): \(count) \(count == 1 ? "row" : "rows") changed.")
        var projection: ProjectionID?
        for change in changes {
            if change.projection != projection { print(change.projection.rawValue.terminalSafe) }
            projection = change.projection
            for line in change.lines { print("  \(line.terminalSafe)") }
        }
        if count > changes.count { print("\(count - changes.count) more; --limit shows them.") }
    }
}

extension RowChange {
    /// Table and key, then what changed; in hexadecimal where it cannot be decoded.
    fileprivate var lines: [String] {
        let key = keyParts.map { $0.map { "\($0.name)=\($0.value)" }.joined(separator: " ") } ?? "key \(key)"
        let kind = before == nil ? " (new)" : after == nil ? " (gone)" : ""
        let title = "\(table) \(key)\(kind)"
        guard let parts else { return [title, "  \(before ?? "(no row)") -> \(after ?? "(no row)")"] }
        guard before != nil, after != nil else {
            let row = parts.map { "\($0.name)=\($0.before ?? $0.after ?? "")" }.joined(separator: " ")
            return row.isEmpty ? [title] : [title, "  \(row)"]
        }
        return [title] + parts.map { "  \($0.name): \($0.before ?? "(none)") -> \($0.after ?? "(none)")" }
    }
}
