internal import ArgumentParser

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a store's files anew, without free pages and without the bytes of what was erased.",
        discussion: """
            Events of cleared messages that were erased are cut off: no answer changes, and the log can be replayed from \
            there on. Other processes may read the store meanwhile; none may have it open for writing. Needs room for the \
            files once more. With --dry-run, shows what would be removed.

            Exits with 3 where a process still has an older file open, so that erased bytes are left in that one.
            """)

    @OptionGroup var arguments: StoreArguments

    @Flag(help: "Change nothing.")
    var dryRun = false

    func run() throws {
        if dryRun { return try showPreview() }
        let store = try arguments.openForWriting()
        let report = try withProgress("copying") { try store.compact(progress: $0) }
        try store.close()
        if arguments.json {
            try JSON.print(
                [
                    "bytesBefore": report.bytesBefore, "bytesAfter": report.bytesAfter,
                    "cutEvents": report.cutEvents, "isErasureComplete": report.isErasureComplete,
                ] as JSONObject)
        } else {
            print("\(bytes(report.bytesBefore)) before, \(bytes(report.bytesAfter)) now")
            if report.cutEvents > 0 { print("\(NumberFormat.count(report.cutEvents)) events were cut off") }
        }
        guard report.isErasureComplete else {
            throw ToolError.store(
                "not finished: another process has an older file open, which holds what was erased; compact again later"
            )
        }
    }

    private func showPreview() throws {
        let store = try arguments.openReadOnly()
        let (preview, statistics) = (try store.compactionPreview(), try store.statistics())
        let used = statistics.environments.reduce(0) { $0 + $1.usedBytes }
        if arguments.json {
            return try JSON.print(
                [
                    "usedBytes": used, "freeBytes": preview.freeBytes, "owedBytes": preview.owedBytes,
                    "owedSince": statistics.owedSince.map(\.milliseconds), "cutEvents": preview.cutEvents,
                    "cutBytes": preview.cutBytes,
                ] as JSONObject)
        }
        print("\(bytes(used)) in use, of which \(bytes(preview.freeBytes)) are free pages")
        print("\(bytes(preview.owedBytes)) erased and still in a file")
        print("\(NumberFormat.count(preview.cutEvents)) events of \(bytes(preview.cutBytes)) would be cut off")
    }

    private func bytes(_ count: Int) -> String { NumberFormat.bytes(UInt64(clamping: count)) }
}
