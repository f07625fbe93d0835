internal import ArgumentParser
internal import MessageStore

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for what is suspicious in a log: repeats, wrong times, events without effect, and more.",
        discussion: """
            Nothing of it need be wrong: each line says where to look, and with which command; what is likelier harmless \
            comes last. Repeats are looked for among the last \(NumberFormat.count(ReceivedMessages.contents)) messages at \
            least, messages in two conversations among the last \(NumberFormat.count(ReceivedMessages.names)). Damage is \
            what `check` and `verify` look for.
            """)

    struct Output: Encodable {
        let symptom: Symptom
        let meaning: String
        let count: Int
        let first: [Finding]
        /// What the hits share, since when they are, and the last good event; nil for kinds that do not tell.
        let trail: Trail?
        let command: String
    }

    @OptionGroup var arguments: StoreArguments

    @Option(name: .customShort("n"), help: "The maximum number of places to show of each kind.")
    var limit = 5

    @Flag(
        help: """
            Do not look for events without effect, nor for those that undid newer ones; for both the log is replayed event \
            by event.
            """)
    var quick = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("-n takes a number above 0") }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        let progress = ReplayProgressLine("looking")
        let examination = try Examination(store, limit: limit, skipsEffects: quick, progress: progress.update)
        progress.finish()
        let output = examination.findings.map { symptom, findings, trail in
            Output(
                symptom: symptom, meaning: symptom.words, count: findings.count, first: findings.first, trail: trail,
                command: findings.first.first.map { symptom.command(arguments.store, $0) } ?? "")
        }
        if arguments.json { return try output.forEach { try JSON.print($0) } }
        if output.isEmpty {
            let looked = Symptom.allCases.filter { $0.isQuick || !quick }.map(\.title)
            print("Nothing suspicious.\nLooked for: \(looked.joined(separator: ", ")).")
        }
        let names = Names(store)
        for symptom in output { print(Self.lines(symptom, names).map(\.terminalSafe).joined(separator: "\n")) }
    }

    private static func lines(_ output: Output, _ names: Names) -> [String] {
        let places = output.first.map { $0.words(names) }
        let more =
            output.count > places.count ? ["    and \(NumberFormat.count(output.count - places.count)) more"] : []
        let trail = output.trail?.lines(output.count, names) ?? []
        return ["\(output.meaning): \(NumberFormat.count(output.count))"] + places.map { "    \($0)" } + more
            + trail.map { "    \($0)" } + ["    look closer: \(output.command)"]
    }
}
