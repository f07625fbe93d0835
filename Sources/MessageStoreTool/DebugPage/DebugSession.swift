/// One store's past for the page: the log, and the views at any position that was folded.
///
/// The log is folded in the background, a piece at a time, so that every other question is answered between two pieces.
/// Requests that take longer than a moment, such as a search, are answered in parts, and the page asks for the next:
/// what nobody wants any more is not asked for.
actor DebugSession {
    nonisolated let store: MessageStore
    private let session: ReplaySession
    /// The position from which on the log can be replayed.
    private let base: Position
    private let names = DebugJobs<DebugSearch.Message, MessageNames>()
    private let why = DebugJobs<DebugWhy, JSONObject>()
    private var folded = Position.origin
    private var folding: Task<Void, Never>?
    private var isClosed = false
    private var failure: StoreError?

    /// Events folded at a time.
    private static let piece: UInt64 = 1024
    /// How long a part of an answer takes.
    static let patience: Duration = .milliseconds(25)

    init(_ store: MessageStore) throws {
        self.store = store
        base = try store.base()
        session = try store.replaySession()
    }

    /// Ends what goes on in the background, and waits until it has let go of its temporary files.
    func close() async {
        isClosed = true
        await names.close()
        await why.close()
    }

    /// Waits until what goes on in the background has ended.
    func settle() async {
        await folding?.value
        await names.settle()
        await why.settle()
    }

    /// The page's data about the store as a whole: among others how far the views are known, every type of events, and
    /// why the log cannot be folded further.
    func info() throws -> JSONObject {
        let end = try foldOn()
        let types = Set(HostEvents(try store.eventDescriptions()).typeNames).ordered()
        return [
            "account": store.account, "first": base.rawValue + 1, "end": end, "folded": min(folded, end),
            "types": types,
            "failure": failure?.words.terminalSafe,
        ]
    }

    /// Folds what is there and was not folded yet, in the background; answers with the last position.
    @discardableResult
    private func foldOn() throws -> Position {
        let end = try store.lastDurablePosition()
        if folding == nil, !isClosed, failure == nil, folded < end {
            folding = Task { await foldInPieces(to: end) }
        }
        return end
    }

    private func foldInPieces(to end: Position) async {
        defer { folding = nil }
        while folded < end, !isClosed {
            let next = min(max(Position(folded.rawValue + Self.piece), base), end)
            do {
                try session.read(at: next) { _ in }
            } catch let error as StoreError {
                failure = error
                foldUpToDamage(error)
                return
            } catch {
                return
            }
            folded = next
            await Task.yield()
        }
    }

    /// Before a damaged record the views are known all the same.
    private func foldUpToDamage(_ error: StoreError) {
        guard let damaged = error.position, damaged > folded else { return }
        let before = Position(damaged.rawValue - 1)
        if (try? session.read(at: before, { _ in })) != nil { folded = before }
    }

    /// The views at a position; nil where the log was not folded so far yet.
    func state(_ question: DebugState.Question) throws -> DebugState? {
        guard try isFolded(question.position) else { return nil }
        var question = question
        if question.follows, let event = try store.events(from: question.position, limit: 1).first,
            event.position == question.position, let conversation = event.event.conversation
        {
            question.conversation = conversation
        }
        var state = try DebugState(question, in: session, from: base)
        state.changes.notes = try EventNotes(store: store, session: session).lines(at: question.position)
        return state
    }

    /// The rows that differ between two positions; nil where the log was not folded so far yet.
    func changes(from first: Position, to last: Position) throws -> DebugChanges? {
        guard try isFolded(last) else { return nil }
        return try DebugChanges(from: first, to: last, in: session)
    }

    /// A part of a counter's course; nil where the log was not folded so far yet.
    func chart(_ question: DebugChart.Question) throws -> DebugChart? {
        guard try isFolded(question.last) else { return nil }
        return try DebugChart(question, in: session)
    }

    private func isFolded(_ position: Position) throws -> Bool {
        let end = try foldOn()
        guard position <= end else { throw ToolError.usage("position \(position): the log ends at \(end)") }
        if let failure, folded < position { throw failure }
        return position <= folded
    }

    /// Events by their positions.
    nonisolated func events(at positions: [ClosedRange<Position>]) throws -> DebugEvents {
        try DebugEvents(at: positions, in: store)
    }

    /// A part of a search.
    nonisolated func search(_ search: DebugSearch) throws -> JSONObject {
        guard let message = try search.messageSought(in: store) else { return try search.run(in: store, names: nil) }
        // To find its names the log is read several times.
        let found = try names.ask(message) { [store] _ in
            var names = try MessageNames(message.name, in: store, conversation: message.conversation)
            try names.addMarkers(in: store)
            return names
        }
        guard let found else { return DebugSearch.found([], next: search.first) }
        return try search.run(in: store, names: found)
    }

    /// How a value came to be; nil while that is looked for.
    nonisolated func explanation(_ question: DebugWhy) throws -> JSONObject? {
        try why.ask(question) { [store] check in try question.answer(in: store, check) }
    }

    /// The position that a text names, in the forms that `--at` takes.
    nonisolated func position(of text: String) throws -> JSONObject {
        guard let moment = Moment(argument: text) else { throw ToolError.usage("write \(Moment.help)") }
        return ["position": try moment.position(in: store)]
    }
}
