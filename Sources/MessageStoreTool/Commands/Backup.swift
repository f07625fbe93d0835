internal import ArgumentParser
internal import MessageStore

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a copy of a store, also while another process writes it.",
        discussion: """
            The copy is a store: opening it is the restore. It holds everything that was durable when the command began, \
            and no byte of what was redacted before. It appears when it is whole. Views are made when it is first opened \
            for writing.
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "The directory of the copy; nothing may exist there.")
    var destination: String

    func run() throws {
        let store = try arguments.openReadOnly()
        let last = try withProgress("copying") { try store.backup(to: destination, progress: $0) }
        try store.close()
        if arguments.json {
            try JSON.print(["events": last.rawValue] as JSONObject)
        } else {
            print("\(NumberFormat.count(last.rawValue, "event", "events")) in \(destination)".terminalSafe)
        }
    }
}
