internal import ArgumentParser
internal import MessageStore

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rebuild the views beside the served ones and compare them row by row.",
        discussion: "Exits with 1 where a row differs, and shows what differs in the first of them, part by part.")

    struct Difference: Encodable {
        let projection: String
        let table: String
        /// Name and value of each part of the key.
        let keyParts: [Part]?
        /// The parts that differ.
        let parts: [Part]?
        /// In hexadecimal, where key or row cannot be decoded.
        let key: String?
        let live: String?
        let rebuilt: String?

        struct Part: Encodable {
            let name: String
            var value: String?
            var live: String?
            var rebuilt: String?
        }

        init(_ difference: RowDifference) {
            projection = difference.projection.rawValue
            table = difference.table
            keyParts = difference.keyParts?.map { Part(name: $0.name, value: $0.value) }
            parts = difference.parts?.map { Part(name: $0.name, live: $0.live, rebuilt: $0.rebuilt) }
            key = difference.keyParts == nil ? difference.key : nil
            live = difference.parts == nil ? difference.live : nil
            rebuilt = difference.parts == nil ? difference.rebuilt : nil
        }
    }

    struct Output: Encodable {
        let position: UInt64
        let digests: [String: String]
        let differences: [Difference]
        let differenceCount: Int
        /// Projections of hosts, which this tool cannot fold.
        let notVerified: [String]
    }

    @OptionGroup var arguments: StoreArguments

    @Option(help: "The maximum number of differences to print.")
    var limit = 20

    func run() throws {
        let store = try arguments.openReadOnly()
        let progress = ReplayProgressLine("verifying")
        let report = try store.verify(limit: max(limit, 1), progress: progress.update)
        progress.finish()
        let unregistered = try store.read { try $0.projections() }.filter { $0.state == .unregistered }.map(
            \.id.rawValue)
        if arguments.json { try printJSON(report, unregistered) } else { try printTable(report, unregistered) }
        guard report.isConsistent else { throw ToolError.check("\(report.differenceCount) rows differ from the log") }
    }

    private func printJSON(_ report: VerificationReport, _ unregistered: [String]) throws {
        try JSON.print(
            Output(
                position: report.position.rawValue,
                digests: Dictionary(
                    uniqueKeysWithValues: report.digests.map { ($0.key.rawValue, hexadecimal($0.value)) }),
                differences: report.differences.map { Difference($0) },
                differenceCount: report.differenceCount, notVerified: unregistered))
    }

    private func printTable(_ report: VerificationReport, _ unregistered: [String]) throws {
        try printDigests(report.digests, at: report.position, json: false)
        for difference in report.differences {
            for line in difference.lines { print(line.terminalSafe) }
        }
        for projection in unregistered {
            print("\(projection) is registered by a host and cannot be folded here; it was not verified.".terminalSafe)
        }
        if report.isConsistent { print("OK: the views match the log.") }
    }
}

extension RowDifference {
    /// Projection, table and key, then what differs; in hexadecimal where it cannot be decoded.
    var lines: [String] {
        let key = keyParts.map { $0.map { "\($0.name)=\($0.value)" }.joined(separator: " ") } ?? "key \(key)"
        let title = "\(projection) \(table) \(key)"
        guard let parts else {
            return [title, "  live     \(live ?? "(no row)")", "  rebuilt  \(rebuilt ?? "(no row)")"]
        }
        guard live != nil, rebuilt != nil else {
            let row = parts.map { "\($0.name)=\($0.live ?? $0.rebuilt ?? "")" }.joined(separator: " ")
            return [
                title, "  live     \(live == nil ? "(no row)" : row)",
                "  rebuilt  \(rebuilt == nil ? "(no row)" : row)",
            ]
        }
        return [title] + parts.map { "  \($0.name): live \($0.live ?? "(none)"), rebuilt \($0.rebuilt ?? "(none)")" }
    }
}
