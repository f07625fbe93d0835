internal import ArgumentParser
internal import MessageStore

/// What commands take that list records.
struct DamageArguments: ParsableArguments {
    @Flag(help: "Leave out damaged records, name them on standard error, and exit with 3 at the end.")
    var skipDamaged = false

    /// Where damaged records are noted; nil where the first one ends the command.
    var skipped: SkippedRecords? { skipDamaged ? SkippedRecords() : nil }
}

/// The damaged records that a command has left out.
final class SkippedRecords {
    private var count = 0
    private var positions: Set<Position> = []

    /// Names a record; pages may meet the same one again.
    func note(_ error: StoreError) {
        if let position = error.position, !positions.insert(position).inserted { return }
        count += 1
        writeToStandardError("messagestore: left out: \(error.description.terminalSafe)\n")
    }

    /// Ends the command with an error if anything was left out.
    func finish() throws {
        guard count > 0 else { return }
        throw ToolError.store(NumberFormat.count(count, "damaged record was left out", "damaged records were left out"))
    }
}
