internal import ArgumentParser
internal import Foundation
internal import MessageStoreSearch
internal import MessageStoreShipping

/// The arguments of every reading command.
struct StoreArguments: ParsableArguments {
    @Argument(help: "The store's directory.")
    var store: String

    @Flag(help: "Print JSON: lists as JSON lines, all else as one document.")
    var json = false

    /// Opens the store for reading only; a long recovery shows its progress.
    func openReadOnly() throws -> MessageStore { try Self.openReadOnly(store) }

    static func openReadOnly(
        _ store: String, _ change: (inout MessageStore.Configuration) -> Void = { _ in }
    ) throws -> MessageStore {
        try withProgress("folding the log") {
            var configuration = MessageStoreCommand.configuration
            searchIndex(&configuration)
            change(&configuration)
            return try MessageStore.openReadOnly(store, configuration: configuration, progress: $0)
        }
    }

    /// Registers the search index, unless a host has registered one with texts of its own.
    static func searchIndex(_ configuration: inout MessageStore.Configuration) {
        guard !configuration.laggingProjections.contains(where: { $0 is SearchIndex }) else { return }
        configuration.laggingProjections.append(SearchIndex())
    }

    /// Opens an existing store for writing.
    func openForWriting() throws -> MessageStore { try openForWriting { _ in } }

    /// Opens an existing store for writing, with a change to the configuration.
    func openForWriting(_ change: (inout MessageStore.Configuration) -> Void) throws -> MessageStore {
        let account = try MessageStore.account(ofStoreAt: store, key: MessageStoreCommand.key)
        var configuration = MessageStoreCommand.configuration
        change(&configuration)
        return try withProgress("folding the log") {
            try MessageStore.open(store, account: account, configuration: configuration, progress: $0)
        }
    }
}

/// The arguments of every command that reads views.
struct ViewArguments: ParsableArguments {
    @OptionGroup var arguments: StoreArguments

    @Option(parsing: .unconditional, help: "Show the past: \(Moment.help).")
    var at: Moment?

    @OptionGroup var whatIf: WhatIfArguments

    /// Runs `body` with the views at the chosen moment, of the log as it is or with other events.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func read<Result>(_ body: (borrowing Views) throws -> Result) throws -> Result {
        try Self.read(arguments.openReadOnly(), at: at, whatIf, body)
    }

    /// The same with the views of a store.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    static func read<Result>(
        _ store: MessageStore, at: Moment?, _ whatIf: WhatIfArguments, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        let replacement = try whatIf.replacement(in: store)
        guard replacement != nil || at != nil else { return try store.read(body) }
        let position = try at?.position(in: store) ?? store.lastPosition()
        let progress = ReplayProgressLine("replaying")
        func finish(_ views: borrowing Views) throws -> Result {
            progress.finish()
            return try body(views)
        }
        guard let replacement else { return try store.replay(to: position, progress: progress.update, finish) }
        return try replacement.session(store).read(at: position, progress: progress.update, finish)
    }
}

/// Runs `body` with a progress line for folds, which report positions; ctrl-C ends them cleanly.
func withProgress<Result>(
    _ label: String, _ body: (_ progress: MessageStore.ReplayProgress) throws -> Result
) rethrows -> Result {
    let progress = ReplayProgressLine(label)
    let result = try body(progress.update)
    progress.finish()
    return result
}

/// A progress line for folds, which report positions; ctrl-C ends them cleanly.
final class ReplayProgressLine {
    private let label: String
    private var line: ProgressLine?
    private var total: Position?
    private var isNoting = true

    init(_ label: String) {
        self.label = label
        Interruption.beginNoting()
    }

    deinit { endNoting() }

    private func endNoting() {
        if isNoting { Interruption.endNoting() }
        isNoting = false
    }

    /// - Throws: ``Interruption``.
    func update(reached: Position, last: Position) throws {
        try Interruption.check()
        if total != last { line = ProgressLine(label: label, total: Int(clamping: last.rawValue)) }
        total = last
        line?.update(done: Int(clamping: reached.rawValue))
    }

    /// Writes the last line; from now on a signal ends the process at once.
    func finish() {
        line?.finish()
        endNoting()
    }
}

/// The options of commands that list records.
struct DamageArguments: ParsableArguments {
    @Flag(help: "Skip damaged records, list them on standard error, and exit with 3 at the end.")
    var skipDamaged = false

    /// Collects damaged records; nil if the first one ends the command.
    var skipped: SkippedRecords? { skipDamaged ? SkippedRecords() : nil }
}

/// The damaged records that a command has skipped.
final class SkippedRecords {
    private var count = 0
    private var positions: Set<Position> = []

    /// Reports a record; pages may contain the same one again.
    func note(_ error: StoreError) {
        if let position = error.position, !positions.insert(position).inserted { return }
        count += 1
        writeToStandardError("messagestore: skipped: \(error.words.terminalSafe)\n")
    }

    /// Ends the command with an error if anything was skipped.
    func finish() throws {
        guard count > 0 else { return }
        throw ToolError.store(NumberFormat.count(count, "damaged record was skipped", "damaged records were skipped"))
    }
}

/// A range of the log.
struct RangeArguments: ParsableArguments {
    @Option(parsing: .unconditional, help: "The first event: \(Moment.help).")
    var from: Moment?

    @Option(parsing: .unconditional, help: "The last event: \(Moment.help).")
    var to: Moment?

    /// The first and the last position; the last is one less than the first if the range is empty.
    ///
    /// - Throws: ``ToolError`` if the log does not reach that far, or the last comes before the first.
    func positions(in store: MessageStore) throws -> (first: Position, last: Position) {
        let first = try from?.firstPosition(in: store) ?? Position(1)
        let last = try to?.position(in: store) ?? store.lastPosition()
        guard first.rawValue <= last.rawValue + 1 else { throw ToolError.usage("\(first) comes after \(last)") }
        return (first, last)
    }
}

/// The projections that a command is about.
struct ProjectionArguments: ParsableArguments {
    @Option(help: "Only this projection; may be given more than once.")
    var projection: [String] = []

    /// The projections; nil for all.
    ///
    /// - Throws: ``ToolError`` if the tool does not have one of them.
    func chosen() throws -> Set<ProjectionID>? {
        guard !projection.isEmpty else { return nil }
        let names = (ProjectionID.builtIn + MessageStoreCommand.configuration.projections.map(\.declaration.id)).map(
            \.rawValue)
        if let name = projection.first(where: { !names.contains($0) }) {
            throw ToolError.usage("there is no projection \(name); there are \(names.joined(separator: ", "))")
        }
        return Set(projection.map { ProjectionID(rawValue: $0) })
    }
}

#if JetStream
internal import MessageStoreJetStream
#endif
#if S3
internal import MessageStoreS3
#endif

/// The place of a shipped log, as commands name it.
enum PlaceArgument {
    static let guide = """
        A place is a directory or file:///PATH; s3://BUCKET/PREFIX, with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, \
        AWS_REGION and, for other services than Amazon's, AWS_ENDPOINT_URL in the environment; or \
        nats://HOST:PORT/STREAM/PREFIX, with NATS_USER and NATS_PASSWORD or NATS_CREDS. The last two need a build with \
        the traits S3 and JetStream.
        """

    /// Whether a word names a place for certain, and no directory.
    static func isURL(_ word: String) -> Bool { word.contains("://") }

    static func carrier(_ place: String) throws -> any Carrier {
        let environment = ProcessInfo.processInfo.environment
        guard isURL(place) else { return try FolderCarrier(place) }
        switch place.prefix(while: { $0 != ":" }) {
        case "file":
            guard let url = URL(string: place), url.isFileURL, !url.path.isEmpty else {
                throw ToolError.usage("\(place) names no file")
            }
            return try FolderCarrier(url.path)
        case "s3":
            #if S3
            return try S3Carrier(url: place, environment: environment)
            #else
            throw ToolError.usage("this build has no carrier for S3: build it with --traits Tool,S3")
            #endif
        case "nats", "tls":
            #if JetStream
            return try JetStreamCarrier(url: place, environment: environment)
            #else
            throw ToolError.usage("this build has no carrier for JetStream: build it with --traits Tool,JetStream")
            #endif
        default: throw ToolError.usage("\(place) names no place: use a directory, file:, s3: or nats:")
        }
    }
}

/// Runs asynchronous work and waits for it; ctrl-C cancels it.
@inline(never) @_semantics("optimize.sil.specialize.generic.never")
func waitForTask<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let (done, box) = (DispatchSemaphore(value: 0), ResultBox<Result>())
    let task = Task.detached {
        do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
        done.signal()
    }
    let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    signal(SIGINT, SIG_IGN)
    interrupts.setEventHandler { task.cancel() }
    interrupts.activate()
    done.wait()
    interrupts.cancel()
    signal(SIGINT, SIG_DFL)
    guard let result = box.result else { throw CancellationError() }
    return try result.get()
}

/// Carries a result from the task that makes it to the thread that waits for it.
private final class ResultBox<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}

/// The arguments of commands that go through events: which ones.
struct EventArguments: ParsableArguments {
    @Option(help: "Only events recorded at this TIME or later.", transform: time)
    var since: Timestamp?

    @Option(help: "Only events recorded at this TIME or before.", transform: time)
    var until: Timestamp?

    @Option(
        help: """
            Only events of this type, such as MessageReceived or a host's com.example.message-starred; --types lists \
            them; may be given more than once.
            """)
    var type: [String] = []

    @Option(help: "Only events of this conversation: its id, kind:id, or a name that no other has.")
    var conversation: String?

    @Option(help: "Only events that name this message.")
    var message: String?

    @Option(
        help: "Only events of this origin: local, live, offline, history or otherDevice; may be given more than once.")
    var origin: [String] = []

    @Option(help: "Only events that hold this text in any field, in whatever case; contents are searched, too.")
    var grep: String?

    @Option(help: "Only events that name this user in any field: an id, or a name that no other has.")
    var user: String?

    @Option(
        name: .customLong("where"),
        help: .init(
            """
            Only events for which this holds: a field compared by == != < <= > >= with another field or a value, as in \
            'upTo > recordedTime + 1h', 'device == laptop', 'upTo.ms == 0', 'device == none'; may be given more than \
            once, and all must hold. A place such as upTo is compared by its time; upTo.id \
            is its message, TIME.ms the milliseconds within the second, TIME.day the UTC date.
            """, valueName: "comparison"))
    var comparisons: [String] = []

    static func time(_ argument: String) throws -> Timestamp {
        guard let time = Timestamp(iso8601: argument) else {
            throw ValidationError("\(argument) is no time; write it as 2026-11-20 or 2026-11-20T18:00:00Z")
        }
        return time
    }

    func validate() throws {
        if let name = origin.first(where: { Self.origin($0) == nil }) {
            throw ValidationError("there is no origin \(name)")
        }
    }

    /// The events to show; nil if there can be none.
    func selection(_ store: MessageStore) throws -> (EventFilter, EventSearch)? {
        let key = try conversation.map { try findConversation($0, in: store) }
        var names = try message.map { try MessageNames($0, in: store, conversation: key) }
        try names?.addMarkers(in: store)
        var selection = try EventSelection(types: type, conversation: key, names: names, text: grep, in: store)
        selection.search.origins = Set(origin.compactMap(Self.origin))
        selection.search.user = try user.map { try findUser($0, in: store) }
        let fields = comparisons.isEmpty ? [] : try EventColumns.names(in: store)
        selection.search.comparisons = try comparisons.map { try EventComparison($0, fields: fields) }
        let (first, last) = (since ?? .unknown, until ?? .latest)
        guard first <= last else { return nil }
        if since != nil || until != nil { selection.filter.recordedTime = first...last }
        return (selection.filter, selection.search)
    }

    private static func origin(_ name: String) -> Origin? { Origin.names.first { $0.value == name }?.key }
}
