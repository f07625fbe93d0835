internal import ArgumentParser

/// The options of commands that list records.
struct DamageArguments: ParsableArguments {
    @Flag(help: "Skip damaged records, list them on standard error, and exit with 3 at the end.")
    var skipDamaged = false

    /// Collects damaged records; nil where the first one ends the command.
    var skipped: SkippedRecords? { skipDamaged ? SkippedRecords() : nil }
}

/// The damaged records that a command has skipped.
final class SkippedRecords {
    private var count = 0
    private var positions: Set<Position> = []

    /// Reports a record; pages may contain the same one again.
    func note(_ error: StoreError) {
        if let position = error.position, !positions.insert(position).inserted { return }
        count += 1
        writeToStandardError("messagestore: skipped: \(error.words.terminalSafe)\n")
    }

    /// Ends the command with an error if anything was skipped.
    func finish() throws {
        guard count > 0 else { return }
        throw ToolError.store(NumberFormat.count(count, "damaged record was skipped", "damaged records were skipped"))
    }
}
