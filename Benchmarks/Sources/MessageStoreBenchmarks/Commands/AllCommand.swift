internal import ArgumentParser
internal import Foundation
internal import MessageStoreWorkload

/// `all`: every benchmark, and a report of it.
struct AllCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "all", abstract: "Run every benchmark and write a report.",
        discussion: """
            With --output, the directory gets results.json, README.md and a chart for each figure; they are written \
            anew after each benchmark. A run of a million events takes about twenty minutes; \
            `all --events 20000 --rounds 1` takes seconds and is for finding out whether everything works.
            """)

    /// The benchmarks, in the order in which they run.
    enum Part: String, CaseIterable {
        case bulkSync = "bulk-sync"
        case chatSync = "chat-sync"
        case stress
        case logs
        case packageSizes = "package-sizes"
        case flushDelays = "flush-delays"
        case groupCommit = "group-commit"
        case replay
        case replaySession = "replay-session"
        case open
        case sealed
        case queries
        case send
        case mixed
        case live
        case search
        case compaction
        case scale
        case instructions
        case queryCost = "query-cost"
    }

    @Option(help: "Events.")
    var events = 1_000_000

    @Option(help: "Rounds; medians are printed.")
    var rounds = 3

    @Option(
        parsing: .upToNextOption, help: "Tiers of `scale`; a tenth of the events and all of them if none are given.")
    var tiers: [Int] = []

    @Option(parsing: .upToNextOption, help: "Real chat logs to sync as well.")
    var logs: [String] = []

    @Option(help: "Milliseconds that every flush of every peer takes longer in `flush-delays`, separated by commas.")
    var flushDelay = FlushDelays(milliseconds: [0, 1, 5])

    @Option(help: "Only these, separated by commas: \(Part.allCases.map(\.rawValue).joined(separator: ", ")).")
    var only: String?

    @Option(help: "Who takes part in `bulk-sync`, `stress` and `logs`, separated by commas. The store always does.")
    var peers = Peer.allCases.map(\.rawValue).joined(separator: ",")

    @Option(help: "The directory of the report.")
    var output: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        _ = try Peer.list(peers)
        guard events >= 1_000, rounds > 0 else { throw ValidationError("At least 1,000 events and one round.") }
    }

    func run() throws {
        let chosen = try only?.split(separator: ",").map { name in
            guard let part = Part(rawValue: String(name)) else { throw ValidationError("No benchmark \(name).") }
            return part
        }
        let parts = Part.allCases.filter { chosen?.contains($0) ?? true }
        var sections: [Section] = []
        for part in parts {
            let found = try parts.count == 1 ? self.sections(part) : sectionsOfChild(part)
            for section in found { print(Markdown.text(section) + "\n") }
            sections += found
            if let output { try ReportFiles.write(ReportFiles.report(sections), toDirectory: output) }
        }
        if let json = common.json { try ReportFiles.writeJSON(ReportFiles.report(sections), to: json) }
    }

    /// Runs a benchmark in a process of its own, in which no other one has left memory to be used again.
    private func sectionsOfChild(_ part: Part) throws -> [Section] {
        try Files.withDirectory(in: common.directory) { directory in
            let child = Process()
            child.executableURL = URL(fileURLWithPath: try KilledStore.executable())
            // Of options that are given twice the last counts.
            child.arguments = CommandLine.arguments.dropFirst() + ["--only", part.rawValue, "--output", directory]
            child.standardOutput = FileHandle.nullDevice
            try child.run()
            child.waitUntilExit()
            guard child.terminationStatus == 0 else { throw Failure("the benchmark \(part.rawValue) failed") }
            return try ReportFiles.readJSON(directory + "/results.json").sections
        }
    }

    private func bulkSync(_ backlog: Backlog) throws -> Section {
        let benchmark = BulkSync(
            backlog: backlog, rounds: rounds, peers: try Peer.list(peers), directory: common.directory)
        return benchmark.section(try benchmark.run())
    }

    private func sections(_ part: Part) throws -> [Section] {
        let directory = common.directory
        switch part {
        case .bulkSync: return [try bulkSync(.fitted(events: events))]
        case .stress:
            return [try bulkSync(.stress(events: max(events / 5, 1_000)))]
        case .chatSync:
            // A small one: the whole is a command of its own.
            let scale = min(Double(events) / 2_000_000, 0.1)
            return [try ChatSync(scale: scale, rounds: rounds, directory: directory).run().section]
        case .logs: return try logs.map { try bulkSync(ChatLogReader.backlog($0, limit: .max)) }
        case .groupCommit:
            return [try GroupCommit(events: min(events, 100_000), rounds: rounds, directory: directory).run()]
        case .packageSizes:
            return [try BulkSync.sizes([1, 20, 200, 1_000], events: events, rounds: rounds, directory: directory)]
        case .flushDelays:
            let events = min(events, 60_000)
            return [
                try BulkSync.flushDelays(
                    flushDelay.milliseconds, events: events, rounds: rounds, directory: directory)
            ]
        case .replay: return [try Replay(events: events, rounds: rounds, directory: directory).run()]
        case .replaySession: return [try ReplaySessions(events: events, directory: directory).run()]
        case .open:
            return try Set([events, tiers.max() ?? events]).sorted().map { events in
                try OpenTimes(events: events, repetitions: rounds + 2, directory: directory).run()
            }
        case .sealed: return [try SealedStores(events: events, rounds: rounds, directory: directory).run()]
        case .queries: return [try QueryTimes(events: events, directory: directory).run()]
        case .send: return [try SendTimes(events: min(events, 100_000), directory: directory).run()]
        case .mixed: return [try Mixed(events: events, rounds: rounds, directory: directory).run()]
        case .live: return [try LiveValues(events: events, rounds: rounds, directory: directory).run()]
        case .search:
            return [try Searches(logs: [], events: events, queries: 100, directory: directory, hasPeers: true).run()]
        case .compaction:
            return [try Compactions(events: events / 2, rounds: rounds, directory: directory).run()]
        case .scale:
            return [try Scale(tiers: tiers.isEmpty ? [events / 10, events] : tiers, directory: directory).run()]
        case .instructions: return [try Instructions(events: min(events / 4, 20_000), directory: directory).run()]
        case .queryCost:
            // Describing many conversations under callgrind is what takes time in a small run.
            let conversations = events < 100_000 ? 500 : 5_000
            let sizes = [events / 10, events]
            return [try QueryCost(sizes: sizes, conversations: conversations, directory: directory).run()]
        }
    }
}
