internal import ArgumentParser
internal import Foundation

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check everything that a store's files hold, also of a store that cannot be opened.",
        discussion: """
            Walks the pages of the log and the views, reads every record in order and by its position, compares the \
            strings with their numbers and the identity file with the log, and the views with a replay. Changes nothing.

            Exits with 3 where the log or the identity file is damaged or an erasure is not finished, and with 4 where only the \
            views are damaged.
            """)

    @OptionGroup var arguments: StoreArguments

    @Option(help: "The maximum number of findings to print.")
    var limit = 100

    func run() throws {
        let report = try withProgress("checking") {
            try MessageStore.check(
                arguments.store, configuration: MessageStoreCommand.configuration, limit: max(limit, 1), progress: $0)
        }
        if arguments.json { try printJSON(report) } else { printText(report) }
        guard !report.isSound else { return }
        let summary = NumberFormat.count(report.findingCount, "finding", "findings")
        let isViewsOnly = report.findings.allSatisfy { $0.code == .viewsDamaged }
        throw isViewsOnly ? ToolError.views(summary) : ToolError.store(summary)
    }

    private func printJSON(_ report: CheckReport) throws {
        let findings = report.findings.map {
            [
                "code": $0.code.description, "file": $0.file, "position": $0.position, "message": $0.message,
                "remedy": $0.remedy,
            ] as JSONObject
        }
        try JSON.print(
            [
                "scannedRecords": report.scannedRecords, "recordsByPosition": report.recordsByPosition,
                "symbols": report.symbols, "comparedPosition": report.comparedPosition, "findings": findings,
                "findingCount": report.findingCount, "isSound": report.isSound,
            ] as JSONObject)
    }

    private func printText(_ report: CheckReport) {
        let (records, found) = (report.scannedRecords, NumberFormat.count(report.recordsByPosition))
        print("\(NumberFormat.count(records, "record", "records")) read in order, \(found) found by position")
        print(
            "\(NumberFormat.count(report.symbols, "string", "strings")) compared with the numbers that stand for them")
        if let position = report.comparedPosition {
            print("views compared with a replay at position \(position)")
        } else if FileManager.default.fileExists(atPath: arguments.store + "/views/data.mdb") {
            let isErasing = report.findings.contains { $0.code == .erasureUnfinished }
            print("views not compared, because \(isErasing ? "an erasure is not finished" : "of the damage")")
        } else {
            print("views not compared: there are none; opening the store for writing makes them")
        }
        for finding in report.findings {
            let place = finding.position.map { " position \($0)" } ?? ""
            print("\(finding.file)\(place): \(finding.code): \(finding.message)".terminalSafe)
            print("  remedy: \(finding.remedy)".terminalSafe)
        }
        if report.isSound { print("OK: nothing is damaged.") }
    }
}
