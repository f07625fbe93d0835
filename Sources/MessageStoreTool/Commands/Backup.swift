internal import ArgumentParser

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a copy of a store, also while another process writes it.",
        discussion: """
            The copy is a store, which can be opened; `restore` copies it once more. It holds everything that was durable when the command began, \
            and no byte of what was redacted before. It appears when it is whole. Views are made when it is first opened \
            for writing.

            With --after, writes one file with what was recorded after a position, such as the last one of a backup; \
            `restore --segment` appends it.
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "The directory of the copy, or the file; nothing may exist there.")
    var destination: String

    @Option(help: "Write what was recorded after this position.")
    var after: UInt64?

    func run() throws {
        let store = try arguments.openReadOnly()
        let first = after.map { Position($0) } ?? .origin
        let last = try withProgress("copying") { progress in
            guard after != nil else { return try store.backup(to: destination, progress: progress) }
            return try store.writeSegment(after: first, to: destination, progress: progress)
        }
        try store.close()
        if arguments.json {
            try JSON.print(["events": last.rawValue - first.rawValue, "last": last.rawValue] as JSONObject)
        } else {
            let count = NumberFormat.count(last.rawValue - first.rawValue, "event", "events")
            print("\(count) in \(destination), the last at position \(last)".terminalSafe)
        }
    }
}
