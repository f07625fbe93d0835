internal import Dispatch
internal import MessageStoreLMDB

/// One store's past for the page: the log, and the views at any position that was folded.
///
/// The log is folded in the background, a piece at a time, so that every other question is answered between two pieces.
/// Requests that take longer than a moment, such as a search, are answered in parts, and the page asks for the next:
/// what nobody wants any more is not asked for.
actor DebugSession {
    nonisolated let store: MessageStore
    private let session: ReplaySession
    /// The position from which on the log can be replayed.
    private let replayStart: Position
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
        replayStart = try store.replayStart()
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
            "account": store.account, "first": replayStart.rawValue + 1, "end": end, "folded": min(folded, end),
            "types": types, "bookkeeping": RowDifference.bookkeeping,
            "failure": failure?.words.terminalSafe,
        ]
    }

    /// The bytes of the store at the end of the log; of conversations those with the most.
    func sizes() async throws -> JSONObject {
        let sizes: StoreSizes = try await store.sizes()
        let names = Names(store)
        func rows(_ amounts: [(value: String, amount: StoreSizes.Amount)]) -> [JSONObject] {
            amounts.map { ["name": $0, "bytes": $1.recordBytes, "fileBytes": $1.fileBytes] }
        }
        let conversations = sizes.amounts(by: \.conversation).prefix(50)
        let months = sizes.amounts(by: \.month).ordered { $0.value > $1.value }
        return [
            "storeBytes": sizes.storeBytes,
            "overheads": sizes.overheads.map { ["name": $0.name, "bytes": $0.bytes] as JSONObject },
            "conversation": rows(conversations.map { ($0.value.map(names.label) ?? "the account", $0.amount) }),
            "month": rows(months.map { ($0.value.description, $0.amount) }),
            "type": rows(sizes.amounts(by: \.type).map { ($0.value?.rawValue ?? "no content", $0.amount) }),
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
            let next = min(max(Position(folded.rawValue + Self.piece), replayStart), end)
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

    /// The views at a position; nil if the log was not folded so far yet.
    func state(_ question: DebugState.Question) throws -> DebugState? {
        guard try isFolded(question.position) else { return nil }
        var question = question
        if question.follows, let event = try store.events(from: question.position, limit: 1).first,
            event.position == question.position, let conversation = event.event.conversation
        {
            question.conversation = conversation
        }
        var state = try DebugState(question, in: session, from: replayStart)
        state.changes.notes = try EventNotes(store: store, session: session).lines(at: question.position)
        return state
    }

    /// The rows that differ between two positions; nil if the log was not folded so far yet.
    func changes(from first: Position, to last: Position) throws -> DebugChanges? {
        guard try isFolded(last) else { return nil }
        return try DebugChanges(from: first, to: last, in: session)
    }

    /// A part of a counter's course; nil if the log was not folded so far yet.
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

/// Answers questions in the background, one after the other, for whoever asks again until there is an answer.
///
/// The work blocks, so it has a queue of its own: of the threads that answer requests there are only as many as the
/// machine has cores. A question that nobody has asked again for a while is given up: it does not begin, or ends where
/// it next checks. The last answers are kept, so that two pages with a question each do not undo each other's work.
final class DebugJobs<Question: Hashable & Sendable, Answer: Sendable>: Sendable {
    private struct Job {
        /// The number of the search for an answer: one that was given up may still be ending when the next is there.
        let number: Int
        var asked: ContinuousClock.Instant
        var answer: Result<Answer, any Error>?
    }

    private struct State {
        var jobs: [Question: Job] = [:]
        var lastNumber = 0
        var isClosed = false
    }

    /// Answers that are kept.
    static var kept: Int { 8 }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "messagestore.debug", qos: .userInitiated)
    private let patience: Duration

    /// - Parameter patience: How long nobody has asked a question that is given up; a page asks several times a second.
    init(patience: Duration = .seconds(2)) { self.patience = patience }

    /// - Parameter find: Finds the answer; it calls its argument now and then, which throws where it is to end.
    /// - Returns: The answer; nil while it is looked for.
    /// - Throws: The error of `find`, once: who asks again has it looked for again. `CancellationError` after
    ///   ``close()``.
    func ask(
        _ question: Question, _ find: @escaping @Sendable (_ check: () throws -> Void) throws -> Answer
    ) throws -> Answer? {
        let (answer, begun) = try state.withLock { state throws in
            if state.isClosed { throw CancellationError() }
            state.jobs[question]?.asked = .now
            if let job = state.jobs[question] {
                if case .failure = job.answer { state.jobs[question] = nil }
                return (job.answer, Int?.none)
            }
            state.lastNumber += 1
            state.jobs[question] = Job(number: state.lastNumber, asked: .now)
            return (nil, state.lastNumber)
        }
        if let begun { queue.async { self.work(on: question, begun, find) } }
        return try answer?.get()
    }

    /// Ends what is looked for, and waits until it has let go of everything.
    func close() async {
        state.withLock { $0.isClosed = true }
        await settle()
    }

    /// Waits until what was asked by now has its answer or was given up.
    func settle() async { await withCheckedContinuation { done in queue.async { done.resume() } } }

    private func work(on question: Question, _ number: Int, _ find: (() throws -> Void) throws -> Answer) {
        let check = { try self.check(question, number) }
        let answer = Result {
            try check()
            return try find(check)
        }
        state.withLock { state in
            guard state.jobs[question]?.number == number else { return }
            state.jobs[question]?.answer = answer
            let answered = state.jobs.filter { $0.value.answer != nil }.ordered { $0.value.asked > $1.value.asked }
            for job in answered.dropFirst(Self.kept) { state.jobs[job.key] = nil }
        }
    }

    private func check(_ question: Question, _ number: Int) throws {
        try state.withLock { state throws in
            guard let job = state.jobs[question], job.number == number, !state.isClosed else {
                throw CancellationError()
            }
            if job.asked.duration(to: .now) > patience {
                state.jobs[question] = nil
                throw CancellationError()
            }
        }
    }
}

/// The marks that a timeline shows between its messages: where messages may be missing, and up to where others have
/// read.
struct DebugMarks: Encodable, Equatable {
    /// Up to where somebody has read this account's messages.
    struct Reader: Encodable, Equatable {
        /// Nil if the server does not say who.
        let user: UserID?
        let name: String?
        let upTo: Timestamp
    }

    /// The readers that are shown, those who are furthest.
    static let maximumReaders = 50

    /// The messages before which others may be missing.
    let gaps: [UInt64]
    let endsInGap: Bool
    let readers: [Reader]

    /// - Parameters:
    ///   - key: The conversation.
    ///   - page: The messages that are shown of it.
    ///   - views: The views at the position.
    init(of key: ConversationKey, _ page: TimelinePage, _ views: borrowing Views) throws {
        let shown = Set(page.elements.map(\.id))
        var (gaps, endsInGap) = ([UInt64](), false)
        try views.forEachGap(in: key) { gap in
            if let after = gap.after, shown.contains(after) { gaps.append(after.rawValue) }
            if gap.after == nil, !page.hasNewer, !page.elements.isEmpty { endsInGap = true }
        }
        var (marks, latest) = ([(user: UserID, upTo: Timestamp)](), Timestamp.unknown)
        try views.forEachMarker(in: key) { user, isRead, time in
            guard isRead else { return }
            if let user { marks.append((user, time)) } else { latest = time }
        }
        marks = marks.ordered { ($0.upTo, $1.user.rawValue) > ($1.upTo, $0.user.rawValue) }
        let isUnnamed = marks.first.map { $0.upTo < latest } ?? (latest != .unknown)
        // A reader whose marker is before the page is not on it.
        let start = page.hasOlder ? page.elements.first?.time ?? .unknown : .unknown
        let named = try marks.prefix(Self.maximumReaders).map { mark in
            Reader(user: mark.user, name: try views.displayName(of: mark.user, in: key), upTo: mark.upTo)
        }
        readers = ((isUnnamed ? [Reader(user: nil, name: nil, upTo: latest)] : []) + named).filter { $0.upTo >= start }
        (self.gaps, self.endsInGap) = (gaps, endsInGap)
    }
}

/// The rows that differ between two positions, as `diff --json` prints them.
struct DebugChanges: Encodable {
    /// The most that are answered with; all are counted.
    static let limit = 60

    let changes: [JSONObject]
    let count: Int
    /// Notes on the event, if the changes are those of one event.
    var notes: [String] = []
    /// The messages that the rows are of.
    let messages: [LocalMessageID]

    init(from first: Position, to last: Position, in session: ReplaySession) throws {
        let (changes, count) = try session.changes(from: first, to: last, limit: Self.limit)
        self.changes = changes.map { $0.object(first: "before", second: "after") }
        self.count = count
        messages = changes.compactMap(\.message)
    }

    func encode(to encoder: any Encoder) throws {
        try (["changes": changes, "count": count, "notes": notes] as JSONObject).encode(to: encoder)
    }
}

extension RowDifference {
    /// The message of the row; nil if it is not that of one.
    var message: LocalMessageID? {
        let part = parts?.first { $0.name == "local" }
        let text = keyParts?.first { $0.name == "local" }?.value ?? part?.second ?? part?.first
        return text.flatMap { UInt64($0) }.map { LocalMessageID($0) }
    }
}
