internal import Foundation

/// Instructions of a sync for each message, counted under callgrind; they do not depend on what else the machine does.
struct Instructions {
    var events = 20_000
    var packageSize = 200
    var workload = Workload.fitted
    var directory: String

    static let ingest = "ingest"
    static let flush = "flush"
    static let scan = "scan"
    static let events = "events"
    static let decode = "decode"

    func run() throws -> Section {
        Progress.say("instructions: \(events) events of the \(workload.name) under callgrind")
        let counts = try Files.withDirectory(in: directory) { base in
            try Callgrind.instructions(
                ["count-sync", base + "/store", "--events", "\(events)", "--package-size", "\(packageSize)"]
                    + workload.arguments, in: base)
        }
        var section = Section(
            title: "Instructions of a sync of \(events) events, \(workload.name), packages of \(packageSize)")
        section.notes = [
            "Instructions of all threads under `valgrind --tool=callgrind`, an event; the system's are not in them."
                + (counts.isEmpty ? " Nothing was counted: valgrind is missing." : "")
        ]
        var table = Table(nil, ["part", "instructions an event"])
        let parts = [(Self.ingest, "packages"), (Self.flush, "the last write of the views")]
        for (name, title) in parts {
            table.rows.append([.text(title), .number(counts[name].map { Double($0) / Double(events) })])
        }
        if !counts.isEmpty {
            let sum = parts.reduce(0) { $0 + (counts[$1.0] ?? 0) }
            table.rows.append([.text("sum"), .number(Double(sum) / Double(events))])
        }
        let reads = [
            (Self.scan, "scan of the log"), (Self.events, "events, none decoded"),
            (Self.decode, "decode of every event"),
        ]
        for (name, title) in reads {
            table.rows.append([.text(title), .number(counts[name].map { Double($0) / Double(events) })])
        }
        section.tables = [table]
        return section
    }
}
