internal import ArgumentParser
internal import MessageStore

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a store's files anew, without free pages and without the bytes of what was redacted.",
        discussion: """
            Other processes may read the store meanwhile; none may have it open for writing. Needs room for the files \
            once more. With --dry-run, shows what is redacted and still in a file, and how large the files are.

            Exits with 1 where a process still has an older file open, so that redacted bytes are left in that one.
            """)

    @OptionGroup var arguments: StoreArguments

    @Flag(help: "Change nothing.")
    var dryRun = false

    func run() throws {
        if dryRun { return try showOwed() }
        let store = try arguments.openForWriting()
        let report = try withProgress("copying") { try store.compact(progress: $0) }
        try store.close()
        if arguments.json {
            try JSON.print(
                [
                    "bytesBefore": report.bytesBefore, "bytesAfter": report.bytesAfter,
                    "isErasureComplete": report.isErasureComplete,
                ] as JSONObject)
        } else {
            print("\(bytes(report.bytesBefore)) before, \(bytes(report.bytesAfter)) now")
        }
        guard report.isErasureComplete else {
            throw ToolError.check("another process has an older file open, which holds what was redacted")
        }
    }

    private func showOwed() throws {
        let statistics = try arguments.openReadOnly().statistics()
        let used = statistics.environments.reduce(0) { $0 + $1.usedBytes }
        if arguments.json {
            return try JSON.print(
                [
                    "usedBytes": used, "owedBytes": statistics.owedBytes,
                    "owedSince": statistics.owedSince.map(\.milliseconds),
                ] as JSONObject)
        }
        print("\(bytes(used)) in use, free pages included")
        print("\(bytes(statistics.owedBytes)) redacted and still in a file")
    }

    private func bytes(_ count: Int) -> String { NumberFormat.bytes(UInt64(clamping: count)) }
}
