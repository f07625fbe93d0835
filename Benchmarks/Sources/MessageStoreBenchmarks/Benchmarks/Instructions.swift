internal import Foundation

/// Instructions of a sync and of each way to read its log again, for each event, counted under callgrind; they do not depend on what else the machine does.
struct Instructions {
    var events = 20_000
    var packageSize = 200
    var workload = Workload.fitted
    var directory: String

    static let ingest = "ingest"
    static let flush = "flush"

    func run() throws -> Section {
        Progress.say("instructions: \(events) events of the \(workload.name) under callgrind")
        let counts = try Files.withDirectory(in: directory) { base in
            try Callgrind.instructions(
                ["count-sync", base + "/store", "--events", "\(events)", "--package-size", "\(packageSize)"]
                    + workload.arguments, in: base)
        }
        var section = Section(
            title:
                "Instructions of a sync and replays of \(events) events, \(workload.name), packages of \(packageSize)")
        section.notes = [
            "Instructions of all threads under `valgrind --tool=callgrind`, an event; the system's are not in them."
                + (counts.isEmpty ? " Nothing was counted: valgrind is missing." : "")
        ]
        var table = Table(nil, ["part", "instructions an event"])
        let sync = [(Self.ingest, "packages of a sync"), (Self.flush, "the last write of the views")]
        for (name, title) in sync + ReplayStep.allCases.map({ ("\($0)", $0.name) }) {
            table.rows.append([.text(title), .number(counts[name].map { Double($0) / Double(events) })])
        }
        section.tables = [table]
        return section
    }
}
