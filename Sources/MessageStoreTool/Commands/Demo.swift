internal import ArgumentParser
internal import Foundation
internal import MessageStoreWorkload

struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sync a generated backlog into a store, show it, replay it and verify it.",
        discussion: """
            The backlog is seeded: equal arguments give equal digests on every machine. Without DIRECTORY the store \
            is created in a temporary directory and removed at the end.
            """)

    @Argument(help: "Where to create the store; it must not exist.")
    var directory: String?

    @Option(help: "Events in the backlog; fewer by default in a debug build.")
    var events = DemoRun.isDebug ? 20_000 : 100_000

    @Option(help: "Events in one package.")
    var packageSize = 200

    @Option(help: "The seed of the backlog.")
    var seed: UInt64?

    @Flag(help: "Print one JSON document instead.")
    var json = false

    func validate() throws {
        guard (1...10_000_000).contains(events) else { throw ValidationError("--events takes 1 to 10000000") }
        guard (1...100_000).contains(packageSize) else { throw ValidationError("--package-size takes 1 to 100000") }
    }

    func run() throws {
        let manager = FileManager.default
        let temporary = manager.temporaryDirectory.appendingPathComponent("messagestore-demo-\(UUID().uuidString)").path
        let path = directory ?? temporary
        guard try !manager.fileExists(atPath: path) || manager.contentsOfDirectory(atPath: path).isEmpty else {
            throw ToolError.usage("\(path) exists already; name a directory that does not")
        }
        defer { if directory == nil { try? manager.removeItem(atPath: path) } }
        let run = DemoRun(path: path, events: events, packageSize: packageSize, seed: seed, isQuiet: json)
        try run.run()
        if json { try JSON.print(run.output) }
        if !json {
            print(
                directory.map { "Look closer: messagestore debug \(Symptom.quoted($0))" }
                    ?? "The store is removed. messagestore demo DIR keeps it; then: messagestore debug DIR")
        }
        guard run.output.differences == 0 else {
            let rows = NumberFormat.count(run.output.differences, "row differs", "rows differ")
            throw ToolError.check("\(rows) from the log")
        }
    }
}

/// The steps of the demonstration, with the time that each took.
final class DemoRun {
    struct Step: Encodable {
        let step: String
        let count: Int
        let seconds: Double
        let perSecond: Int
    }

    struct Output: Encodable {
        var store = ""
        var build = DemoRun.isDebug ? "debug" : "optimised"
        var events = 0
        var messages = 0
        var duplicates = 0
        var conversations = 0
        var unread = 0
        var position: UInt64 = 0
        var digests: [String: String] = [:]
        var differences = 0
        var steps: [Step] = []
    }

    /// Whether the tool was built for debugging.
    static var isDebug: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    let path: String
    let packageSize: Int
    let isQuiet: Bool
    let eventCount: Int
    let workload: WorkloadGenerator
    private(set) var output = Output()

    init(path: String, events: Int, packageSize: Int, seed: UInt64?, isQuiet: Bool) {
        self.path = path
        self.packageSize = packageSize
        self.isQuiet = isQuiet
        eventCount = events
        var parameters = WorkloadParameters.fitted
        if let seed { parameters.seed = seed }
        workload = WorkloadGenerator(parameters, eventCount: events)
        output.store = path
    }

    func run() throws {
        let directory = workload.directory
        let store = try MessageStore.open(
            path, account: directory.accountID, configuration: MessageStoreCommand.configuration)
        say("A store for \(directory.accountID), in \(path.terminalSafe)\n")
        try prepare(store, directory)
        try sync(store, directory)
        try show(store)
        try replay(store)
        try verify(store)
        try store.close()
        say(steps())
        if Self.isDebug { say(Self.debugNote) }
    }

    /// The factor is that of the sync on two cores: see `Docs/Building.md`.
    private static let debugNote = """
        This is a debug build, in which a sync is about 9 times slower. An optimised one takes some minutes to build \
        (3 to 7 on two cores):

            swift run -c release messagestore demo
        """

    /// Records the knowledge of a client before it goes offline: conversations and profiles.
    private func prepare(_ store: MessageStore, _ directory: WorkloadDirectory) throws {
        try store.record((0..<directory.conversations).map { directory.creation(ofConversation: $0) })
        let users = directory.users
        try store.record(stride(from: 0, to: users, by: 100).map { directory.profiles(of: $0..<min($0 + 100, users)) })
    }

    /// Records packages, each generated just before, so that memory does not grow with their number.
    private func sync(_ store: MessageStore, _ directory: WorkloadDirectory) throws {
        var line = ProgressLine(label: "syncing", total: eventCount)
        var (duplicates, messages, index) = (0, 0, 0)
        var events = workload.makeIterator()
        let clock = ContinuousClock()
        var (generating, syncing) = (Duration.zero, Duration.zero)
        syncing += try clock.measure {
            try store.record(Event(OfflineSyncStarted(session: "demo"), origin: .offline))
        }
        while index * packageSize < eventCount {
            var package: [Event] = []
            generating += clock.measure {
                while package.count < packageSize, let event = events.next() { package.append(directory.event(event)) }
            }
            let hasMore = (index + 1) * packageSize < eventCount
            syncing += try clock.measure {
                duplicates += try store.ingest(
                    OfflinePackage(index: UInt32(index), events: package, hasMore: hasMore)
                ).duplicates
            }
            messages += package.count { $0.type == .messageReceived }
            line.update(done: index * packageSize)
            index += 1
        }
        syncing += try clock.measure { try store.record(Event(OfflineSyncCompleted(), origin: .offline)) }
        line.finish()
        note("generate the backlog", eventCount, generating)
        note("sync in packages of \(packageSize), each durable", eventCount, syncing)
        try measure("write the views to disk", eventCount) { try store.flush() }
        output.events = Int(clamping: try store.lastPosition().rawValue)
        output.duplicates = duplicates
        output.messages = messages - duplicates
        output.conversations = workload.directory.conversations
    }

    private func show(_ store: MessageStore) throws {
        let terminal = Terminal.standardOutput
        let (list, unread, page, people) = try measure("read list, totals, timeline and profiles", 1) {
            try store.read { views in
                let conversations = try views.conversations(limit: 12).elements
                let busiest = conversations.first?.key ?? workload.directory.conversationKey(0)
                let page = try views.timeline(of: busiest, limit: 8)
                let senders = Set(page.elements.map(\.sender)).ordered().prefix(3)
                return (
                    conversations, try Unread.output(views),
                    try page.elements.map { try MessageOutput($0, views) }, try senders.map { try views.profile($0) }
                )
            }
        }
        output.unread = unread.total
        say(Conversation.table(list).rendered(style: terminal.style, width: terminal.width))
        let kinds = unread.kinds.ordered(by: { $0.key < $1.key }).map { "\($0.key) \(NumberFormat.count($0.value))" }
        say("Unread: \(NumberFormat.count(unread.total, "message", "messages")) (\(kinds.joined(separator: ", ")))\n")
        say("The newest messages of \(list.first?.displayName ?? "-"):")
        say(MessageOutput.table(page).rendered(style: terminal.style, width: terminal.width))
        for person in people { say("Profile \(person.info.id): \(person.displayName)") }
        say("")
    }

    private func replay(_ store: MessageStore) throws {
        let last = try store.lastPosition()
        let digests = try measure("replay the whole log", Int(clamping: last.rawValue)) {
            try withProgress("replaying") { try store.digests(at: last, progress: $0) }
        }
        output.position = last.rawValue
        output.digests = named(digests)
    }

    private func verify(_ store: MessageStore) throws {
        let report = try measure("verify every row against a replay", Int(clamping: output.position)) {
            try withProgress("verifying") { try store.verify(progress: $0) }
        }
        output.differences = report.differenceCount
        say(
            report.isConsistent
                ? "OK: the views match the log; no row differs.\n" : "MISMATCH: rows differ from the log.\n")
    }

    private func steps() -> String {
        var table = TextTable(columns: ["STEP", .right("EVENTS"), .right("TIME"), .right("RATE")])
        for step in output.steps {
            let isRate = step.count > 1
            table.append([
                step.step, isRate ? NumberFormat.count(step.count) : "",
                NumberFormat.duration(.seconds(step.seconds)),
                isRate ? NumberFormat.rate(step.count, over: .seconds(step.seconds)) : "",
            ])
        }
        return table.rendered(style: Terminal.standardOutput.style)
    }

    private func measure<Result>(_ name: String, _ count: Int, _ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        let result = try body()
        note(name, count, start.duration(to: .now))
        return result
    }

    private func note(_ name: String, _ count: Int, _ time: Duration) {
        let seconds = NumberFormat.seconds(time)
        let rate = seconds > 0 ? Int(Double(count) / seconds) : 0
        output.steps.append(Step(step: name, count: count, seconds: seconds, perSecond: rate))
    }

    private func say(_ text: String) {
        if !isQuiet { print(text) }
    }
}
