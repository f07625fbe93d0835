internal import ArgumentParser
internal import MessageStore

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a store's files anew, without free pages and without the bytes of what was erased.",
        discussion: """
            Events of cleared messages that were erased are cut off: no answer changes, and the log can be replayed from \
            there on. Other processes may read the store meanwhile; none may have it open for writing. Needs room for the \
            files once more. With --dry-run, shows what would be removed.

            With --new-key-file, the files are sealed under another random key, which the key in that file opens: it may be \
            the key of --key-file. With --unseal they are clear. Killed at any moment, the store opens with one of both keys.

            Exits with 3 where a process still has an older file open, so that erased bytes are left in that one.
            """)

    @OptionGroup var arguments: StoreArguments

    @Flag(help: "Change nothing.")
    var dryRun = false

    @Option(help: "Seal the store under another random key, for the key in this file.")
    var newKeyFile: String?

    @Flag(help: "Write clear files in the place of sealed ones.")
    var unseal = false

    func validate() throws {
        guard [dryRun, newKeyFile != nil, unseal].count(where: { $0 }) <= 1 else {
            throw ValidationError("--dry-run, --new-key-file and --unseal exclude each other")
        }
    }

    func run() throws {
        if dryRun { return try showPreview() }
        let report = try newKeyFile == nil && !unseal ? compact() : exchangeKey()
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

    private func compact() throws -> CompactionReport {
        let store = try arguments.openForWriting()
        let report = try withProgress("copying") { try store.compact(progress: $0) }
        try store.close()
        return report
    }

    private func exchangeKey() throws -> CompactionReport {
        let key = try newKeyFile.map { try KeyFile.source(from: $0) }
        return try withProgress("copying") {
            try MessageStore.compact(
                storeAt: arguments.store, sealedBy: key, configuration: MessageStoreCommand.configuration, progress: $0)
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
