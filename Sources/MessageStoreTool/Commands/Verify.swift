internal import ArgumentParser

struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rebuild the views beside the served ones and compare them row by row.",
        discussion: """
            Exits with 1 where a row differs, and shows what differs in the first of them, part by part; with 3 where an \
            erasure is not finished.
            """)

    @OptionGroup var arguments: StoreArguments

    @Option(help: "The maximum number of differences to print.")
    var limit = 20

    func run() throws {
        let store = try arguments.openReadOnly()
        let report = try withProgress("verifying") { try store.verify(limit: max(limit, 1), progress: $0) }
        let projections = try store.read { try ViewDiagnostics.projections(in: $0) }
        let unregistered = projections.filter { $0.state == .unregistered }.map(\.id.rawValue)
        if arguments.json { try printJSON(report, unregistered) } else { try printTable(report, unregistered) }
        guard report.isConsistent else {
            let rows = NumberFormat.count(report.differenceCount, "row differs", "rows differ")
            throw ToolError.check("\(rows) from the log")
        }
    }

    private func printJSON(_ report: VerificationReport, _ unregistered: [String]) throws {
        try JSON.print(
            [
                "position": report.position, "base": report.replayStart, "digests": named(report.digests),
                "differences": report.differences.map { $0.object(first: "live", second: "rebuilt") },
                "differenceCount": report.differenceCount, "notVerified": unregistered,
            ] as JSONObject)
    }

    private func printTable(_ report: VerificationReport, _ unregistered: [String]) throws {
        try printDigests(report.digests, at: report.position, json: false)
        for difference in report.differences {
            for line in difference.lines { print(line.terminalSafe) }
        }
        for projection in unregistered {
            print("\(projection) is registered by a host and cannot be folded here; it was not verified.".terminalSafe)
        }
        if report.replayStart > .origin {
            print(
                "Records before event \(report.replayStart) were cut off; the replay began with what is left of them.")
        }
        if report.isConsistent { print("OK: the views match the log.") }
    }
}

extension RowDifference {
    /// Projection, table and key, then the differences; in hexadecimal if it cannot be decoded.
    fileprivate var lines: [String] {
        let title = "\(projection) \(title())"
        if parts == nil || onlyRow != nil {
            return [
                title, "  live     \(first.map { onlyRow ?? $0 } ?? "(no row)")",
                "  rebuilt  \(second.map { onlyRow ?? $0 } ?? "(no row)")",
            ]
        }
        return [title]
            + (parts ?? []).map { "  \($0.name): live \($0.first ?? "(none)"), rebuilt \($0.second ?? "(none)")" }
    }
}
