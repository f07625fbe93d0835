internal import ArgumentParser

struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Show what changed in the views between two moments, by one event, or what two stores show differently.",
        discussion: """
            Rows are grouped by projection and reported in words; of names and other words of people only the length is \
            reported without --text. Rows that cannot be decoded are shown in hexadecimal. Without --all, rows and values that \
            only say how the store keeps its books are left out: indexes, positions, and what a new row lacks. With \
            --json each changed row is a line, with ids in full.

            With --with another store is compared at both stores' ends, whatever their logs: conversations, unread \
            counts, members, and messages by their server ids; of words only whether they are the same.
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(
        parsing: .remaining,
        help: "From and to: each \(Moment.help); negative ones after `--`. One alone: what that event changed.")
    var moments: [Moment] = []

    @Option(help: "Another store to compare with; no moments then.")
    var with: String?

    @OptionGroup var projections: ProjectionArguments

    @Option(help: "The maximum number of rows to show.")
    var limit = 200

    @Flag(help: "Show rows and values of the store's bookkeeping as well.")
    var all = false

    @Flag(help: "Show names and other words of people; without it only sizes are shown.")
    var text = false

    func validate() throws {
        let counts = with == nil ? 1...2 : 0...0
        guard counts.contains(moments.count) else {
            throw ValidationError(with == nil ? "name one moment, or two" : "give moments or --with, not both")
        }
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        if let with {
            do {
                return try compare(store, StoreArguments.openReadOnly(with))
            } catch let error as StoreError where error.code == .alreadyOpen {
                throw ToolError.usage("--with \(with): that is the same store")
            }
        }
        let (from, to) = try positions(in: store)
        let session = try store.replaySession()
        let (changes, count) = try withProgress("replaying") {
            try session.changes(
                from: from, to: to, of: try projections.chosen(), limit: limit, hasContent: text,
                where: all ? nil : { !$0.isBookkeeping }, progress: $0)
        }
        if arguments.json {
            for change in changes { try JSON.print(change.object(first: "before", second: "after")) }
        } else {
            Self.printText(changes, count, from, to, Names(store), all: all)
            guard moments.count == 1, projections.projection.isEmpty else { return }
            for line in try EventNotes(store: store, session: session).lines(at: to) { print(line.terminalSafe) }
        }
    }

    private func compare(_ first: MessageStore, _ second: MessageStore) throws {
        var count = 0
        var subject = ""
        let names = arguments.json ? nil : Names(first, second)
        try StoreComparison.compare(first, second, names) { difference in
            count += 1
            guard count <= limit else { return }
            if arguments.json { return try JSON.print(difference) }
            if difference.subject != subject { print(difference.subject.terminalSafe) }
            subject = difference.subject
            print(
                "  \(difference.name): \(difference.first.words(names)) | \(difference.second.words(names))"
                    .terminalSafe)
        }
        guard !arguments.json else { return }
        if count > limit { print("\(count - limit) more; --limit shows them.") }
        if count == 0 { print("Both stores show the same.") }
    }

    /// - Throws: ``ToolError`` if they are in the wrong order, or there is no event.
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

    /// Prints changes in words, grouped by projection.
    static func printText(
        _ changes: [RowDifference], _ count: Int, _ from: Position, _ to: Position, _ names: Names, all: Bool = false
    ) {
        print("From \(from) to \(to): \(NumberFormat.count(count, "row", "rows")) changed.")
        changes.printGrouped(of: count, names, all: all)
    }
}
