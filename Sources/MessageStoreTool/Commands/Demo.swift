internal import ArgumentParser
internal import Foundation

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
        guard run.output.differences == 0 else {
            let rows = NumberFormat.count(run.output.differences, "row differs", "rows differ")
            throw ToolError.check("\(rows) from the log")
        }
    }
}
