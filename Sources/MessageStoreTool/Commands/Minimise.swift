internal import ArgumentParser
internal import Foundation
internal import MessageStoreLMDB

struct Minimise: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find the smallest log that fulfils a condition, and write it, anonymised, and as a test.",
        discussion: """
            Leaves out conversations, commits, users and at last single events, as long as the condition stays true at the \
            log's end, until no single event more can be left out. NAME.ndjson is the log that is left, in the form of \
            `export`, with other names for all strings; NAME.swift is a test of it, which fails as long as the condition is \
            true. The condition is asked once more of the store that `import` makes of the file.

            \(Condition.guide)

            Examples:
              messagestore minimise STORE 'unread(team) > shown(team)' complaint
              messagestore minimise STORE 'not member(team, bob)' complaint --because 1713
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "The condition, such as 'badge >= 7'.")
    var condition: String

    @Argument(help: "The files' name; neither NAME.ndjson nor NAME.swift may exist.")
    var name = "minimised"

    @Option(parsing: .unconditional, help: "The last event to look at: \(Moment.help).")
    var to = Moment.position(-1)

    @Option(help: "Keep the event at this position, without which the condition is not to be true.")
    var because: UInt64?

    @Option(help: "After so many seconds the smallest log found by then is written.")
    var timeLimit: Double?

    func validate() throws {
        if let timeLimit, !(timeLimit > 0 && timeLimit < 1e9) {
            throw ValidationError("--time-limit takes seconds above 0")
        }
    }

    func run() throws {
        let (logFile, testFile) = (name + ".ndjson", name + ".swift")
        for file in [logFile, testFile] where FileManager.default.fileExists(atPath: file) {
            throw ToolError.usage("\(file) exists already")
        }
        let directory = URL(fileURLWithPath: name).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: directory) else {
            throw ToolError.usage("\(directory) is no directory in which files can be made")
        }
        let store = try arguments.openReadOnly()
        Interruption.beginNoting()
        defer { Interruption.endNoting() }
        let last = try to.position(in: store)
        if let because, because == 0 || because > last.rawValue {
            throw ToolError.usage("--because \(because): the events to look at end at \(last)")
        }
        let start = ContinuousClock.now
        let minimisation = try minimise(store, last)
        let seconds = NumberFormat.seconds(start.duration(to: .now))
        try minimisation.withCopy { try write($0, logFile, testFile) }
        try report(minimisation, seconds, Names(store), HostEvents(try store.eventDescriptions()))
        try store.close()
    }

    private func minimise(_ store: MessageStore, _ last: Position) throws -> Minimisation {
        var line = ProgressLine(label: "replaying without events")
        var minimisation = try Minimisation(
            Condition(condition, in: store, through: last), in: store, through: last,
            because: because.map { Position($0) }, limit: timeLimit.map { .seconds($0) }
        ) { replays in
            try Interruption.check()
            line.update(done: replays)
        }
        try minimisation.run()
        line.finish()
        return minimisation
    }

    /// Writes both files, once the condition holds of the store that `import` makes of the first.
    private func write(_ copy: ReducedLog.Copy, _ logFile: String, _ testFile: String) throws {
        let (store, manager) = (copy.copy.store, FileManager.default)
        let path = Leftovers.newPath(.copying, in: FileSystem.temporaryDirectory)
        let exported = path + ".ndjson"
        defer { for made in [path, exported] { try? manager.removeItem(atPath: made) } }
        _ = try ExportedLog(file: exported).write(store, from: Position(1), to: store.lastPosition())
        _ = try EventImport(exported, to: path, account: nil).run { _ in }
        var configuration = MessageStoreCommand.configuration
        configuration.now = { Timestamp(milliseconds: 1) }
        let imported = try MessageStore.openReadOnly(path, configuration: configuration)
        defer { try? imported.close() }
        guard try imported.read({ try copy.condition.holds(copy.condition.values($0)) }) else {
            throw ToolError.check(
                "the condition is false in the store that is made of the written log, under other names")
        }
        let test = try MinimisedTest(
            copy: copy, configuration: MessageStoreCommand.configuration,
            name: URL(fileURLWithPath: name).lastPathComponent
        ).text()
        // Neither replaces a file that another run made meanwhile.
        try Data(test.utf8).write(to: URL(fileURLWithPath: testFile), options: .withoutOverwriting)
        try manager.copyItem(atPath: exported, toPath: logFile)
    }
}

extension Minimise {
    private func report(
        _ minimisation: Minimisation, _ seconds: Double, _ names: Names, _ hosts: HostEvents
    ) throws {
        let events = minimisation.kept.indices.map { minimisation.log.events[$0] }
        let milliseconds = seconds * 1000 / Double(max(minimisation.replays, 1))
        guard !arguments.json else {
            return try JSON.print(
                [
                    "events": events, "of": minimisation.log.events.count, "replays": minimisation.replays,
                    "milliseconds": milliseconds, "isComplete": minimisation.isComplete, "log": name + ".ndjson",
                    "test": name + ".swift",
                ] as JSONObject, omitsContent: true)
        }
        print(
            "\(NumberFormat.count(events.count)) of \(NumberFormat.count(minimisation.log.events.count, "event", "events")) "
                + "are left, after \(NumberFormat.count(minimisation.replays, "replay", "replays")) of "
                + "\(NumberFormat.duration(.seconds(milliseconds / 1000))) each:")
        for event in events {
            let columns = EventColumns(event, hosts, hasContent: false, names: names)
            for line in columns.lines(indent: 2) { print(line) }
        }
        if !minimisation.isComplete {
            print("The time was over before it was known that no other event can be left out.")
        }
        print("\(name).ndjson is the log, \(name).swift a test of it.".terminalSafe)
    }
}
