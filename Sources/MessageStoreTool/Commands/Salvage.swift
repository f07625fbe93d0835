internal import ArgumentParser

struct Salvage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read what is readable of a damaged store and write a new one.",
        discussion: """
            The damaged store stays as it is. A RecordLost takes the place of each event that is lost, so that \
            positions stay what they were; a string that is lost is replaced by one that begins with "lost-".

            Exits with 3 where anything is lost, or may be, with the new store in its place, and with 0 where everything \
            was kept. The damaged log's number of records says how many events are lost after the last one that was \
            found, as of a file whose end was cut off; a line says so if that number cannot be read.
            """)

    @Argument(help: "The damaged store's directory.")
    var store: String

    @Argument(help: "The directory of the new store; nothing may stand there.")
    var new: String

    @Option(help: "The account, where the damaged store does not know it any more.")
    var account: String?

    @Flag(help: "Print one JSON document.")
    var json = false

    /// So many lost names are printed one by one.
    private static let printedNames = 20

    func run() throws {
        var line: ProgressLine?
        let report: SalvageReport
        do {
            report = try MessageStore.salvage(
                store, to: new, account: account.map { UserID($0) }, key: MessageStoreCommand.key
            ) { page, pages in
                if line == nil { line = ProgressLine(label: "reading pages", total: pages) }
                line?.update(done: page)
            }
        } catch let error as StoreError where error.code == .logDamaged {
            // Without the advice to salvage.
            throw ToolError.store(error.words)
        }
        line?.finish()
        if json { try printJSON(report) } else { printText(report) }
        guard report.lostCount == 0, report.lostAtEnd == 0, report.forged.isEmpty, report.replacedNames.isEmpty else {
            throw ToolError.store("the new store lacks what is lost")
        }
    }

    private func printJSON(_ report: SalvageReport) throws {
        try JSON.print(
            [
                "account": report.account, "kept": report.kept,
                "lost": report.lost.map { ["first": $0.lowerBound, "last": $0.upperBound] as JSONObject },
                "lostCount": report.lostCount, "lostAtEnd": report.lostAtEnd,
                "forged": report.forged, "repaired": report.repaired,
                "replacedNames": report.replacedNames.map { ["kind": $0.kind, "name": $0.name] as JSONObject },
            ] as JSONObject)
    }

    private func printText(_ report: SalvageReport) {
        let (kept, repaired) = (
            NumberFormat.count(report.kept, "event", "events"), NumberFormat.count(report.repaired)
        )
        print("\(kept) kept, \(repaired) of them from pages that the damaged log did not lead to")
        print("\(NumberFormat.count(report.lostCount, "event", "events")) lost")
        for range in report.lost {
            let isOne = range.lowerBound == range.upperBound
            print("  " + (isOne ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"))
        }
        switch report.lostAtEnd {
        case nil: print("events after the last one that was kept may be lost: the number of records cannot be read")
        case 0: break
        case let count?: print("\(NumberFormat.count(count, "event", "events")) lost after the last one that was kept")
        }
        for position in report.forged { print("at \(position) a changed record, or an old page") }
        for name in report.replacedNames.prefix(Self.printedNames) {
            print("a lost \(name.kind) is called \(name.name) now".terminalSafe)
        }
        let rest = report.replacedNames.count - Self.printedNames
        if rest > 0 { print("so are \(NumberFormat.count(rest, "other name", "other names")); --json lists all") }
    }
}
