internal import ArgumentParser
internal import Foundation

/// `chat-sync`: the six scenarios of `Benchmarks/ChatSync.md`.
struct ChatSyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat-sync", abstract: "Six scenarios of a bulk offline chat sync, by every peer.",
        discussion: """
            Benchmarks/ChatSync.md has the rules. Every scenario ends by comparing the views of each peer with a plain \
            recount of the events; a difference ends the run with an error. A scale of 0.01 takes seconds.
            """)

    @Option(help: "Scenarios, separated by commas.")
    var scenario = ChatSync.Scenario.allCases.map(\.rawValue).joined(separator: ",")

    @Option(help: "Events against the full sizes, above 0 and at most 1.5.")
    var scale = 1.0

    @Option(help: "Rounds; medians are printed.")
    var rounds = 3

    @Option(help: "Who takes part, separated by commas. The store always does.")
    var peers = ChatSync.peers.map(\.rawValue).joined(separator: ",")

    @Option(help: "The peer whose rate the others' are divided by.")
    var against = Peer.grdbFull.rawValue

    @Flag(name: .customLong("sealed"), help: "The stores have a key.")
    var isSealed = false

    @Option(help: "Where the stores are made; it should be on the disk that is meant.")
    var directory = NSTemporaryDirectory()

    @Option(help: "Also write the results to this JSON file.")
    var json: String?

    @Option(help: "Also write a report with a chart to this directory.")
    var output: String?

    func validate() throws {
        // A longer backlog would reach into the future.
        guard scale > 0, scale <= 1.5, rounds > 0 else { throw ValidationError("--scale or --rounds is out of range.") }
        _ = try benchmark()
    }

    private func benchmark() throws -> ChatSync {
        let scenarios = try scenario.split(separator: ",").map { name in
            guard let scenario = ChatSync.Scenario(rawValue: String(name)) else {
                throw ValidationError("No scenario \(name).")
            }
            return scenario
        }
        guard let other = Peer(rawValue: against) else { throw ValidationError("No peer \(against).") }
        return ChatSync(
            scenarios: scenarios, scale: scale, rounds: rounds, peers: try Peer.list(peers), against: other,
            isSealed: isSealed, directory: directory)
    }

    func run() throws {
        let results = try benchmark().run()
        print(Markdown.text(results.section))
        if let json { try ReportFiles.writeJSON(results, to: json) }
        if let output { try ReportFiles.write(ReportFiles.report([results.section]), toDirectory: output) }
    }
}

/// `chat-sync-child`: the process that `killed` kills. It writes a byte for each package that is acknowledged.
struct ChatSyncChildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat-sync-child", abstract: "Sync, and report each package.", shouldDisplay: false)

    @Argument(help: "The directory of the peer's files, and of the sizes of records.")
    var path: String

    @Option(help: "The peer.")
    var peer: String

    @Option(help: "The scale of the scenario.")
    var scale: Double

    @Flag(name: .customLong("sealed"), help: "The stores have a key.")
    var isSealed = false

    func run() throws {
        guard let peer = Peer(rawValue: peer) else { throw ValidationError("No peer \(peer).") }
        let backlog = ChatSync.Scenario.killed.backlog(scale: scale)
        let sizes = try JSONDecoder().decode(
            RecordSizes.self, from: Data(contentsOf: URL(fileURLWithPath: path + "/sizes.json")))
        let subject = try peer.open(in: path, backlog, sizes, configuration: SealedStores.configuration(isSealed))
        let all = SyncRun.packages(from: backlog.events(), backlog.count, ChatSync.packageSize)
        // A small backlog would be at its end before the kill comes.
        let packages = Array(all.dropLast(all.count / 4))
        try subject.prepare(packages, hasMore: true)
        _ = try subject.ingestAll(packages.count) { FileHandle.standardOutput.write(Data([0x2E])) }
        while true { Thread.sleep(forTimeInterval: 3600) }
    }
}
