internal import ArgumentParser
internal import Foundation

#if !Tool
#error("The tool needs the package's trait Tool, which is on by default.")
#endif

/// The command-line tool, which a host can build with its own types of events:
///
/// ```swift
/// var configuration = MessageStore.Configuration()
/// configuration.events = [MessageStarred.self]
/// MessageStoreCommand.main(configuration: configuration)
/// ```
public enum MessageStoreCommand {
    /// How the commands open stores.
    @TaskLocal static var configuration = MessageStore.Configuration()

    /// Gives the key of sealed stores; nil without `--key-file`.
    static var key: KeySource? { configuration.privacy.key }

    /// Runs the command that the process's arguments name.
    ///
    /// Output goes to standard output and errors to standard error. If the command fails, the process exits with a code
    /// that `messagestore --help` lists.
    ///
    /// - Parameter configuration: How stores are opened; the host's types of events are in it.
    public static func main(configuration: MessageStore.Configuration = MessageStore.Configuration()) {
        // If nobody reads the output any more, as when it is piped to `head`, the process ends without a word, whoever
        // started it.
        signal(SIGPIPE, SIG_DFL)
        StandardOutput.claimStreams()
        let failure = Failure.code(of: {
            var (arguments, configuration) = (Array(CommandLine.arguments.dropFirst()), configuration)
            if let file = try KeyFile.take(from: &arguments) {
                configuration.privacy.key = try KeyFile.source(from: file)
            }
            var command = try RootCommand.parsed(arguments)
            try $configuration.withValue(configuration) { try command.run() }
        })
        // A failure to write output fails a command that went well, and also help.
        let outputFailure = Failure.code(of: StandardOutput.flush)
        if let code = failure ?? outputFailure { exit(code) }
    }
}

/// The tool's commands.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messagestore",
        abstract: "Inspect, import, export, replay and verify message stores.",
        discussion: """
            Data goes to standard output, everything else to standard error. With --json, lists are JSON lines and all \
            else is one JSON document. Reading commands open a store for reading only and may run while another \
            process writes it.

            Tables are as wide as the terminal, or as COLUMNS says, or else 80 columns; what does not fit is cut, except \
            with --json.

            Every command takes --key-file FILE for stores that are sealed under the key in the file: 32 bytes, or 64 \
            hexadecimal digits. New stores are sealed under it as well. The file is read once, so it may be a descriptor, \
            such as /dev/fd/3.

            Exit codes: 0 all is well; 1 a check failed, an input has bad content, or \
            standard output cannot be written; 2 wrong usage; 3 the store is \
            missing, its log is damaged (see `check` and `salvage`) or was salvaged with losses, it cannot be used, or an erasure is recorded and not finished; 4 its views are damaged, which `rebuild` repairs.
            """,
        version: "1.0.0",
        groupedSubcommands: [
            CommandGroup(
                name: "What a user sees",
                subcommands: [Conversations.self, Messages.self, Search.self, Unread.self, ProfileCommand.self]),
            CommandGroup(
                name: "What happened, and why",
                subcommands: [
                    Doctor.self, Why.self, Log.self, Diff.self, Watch.self, Suspects.self, Minimise.self, Replay.self,
                    Debug.self,
                ]),
            CommandGroup(name: "Logs in and out", subcommands: [Import.self, Export.self, Demo.self]),
            CommandGroup(name: "On other machines", subcommands: [Ship.self, Follow.self]),
            CommandGroup(
                name: "Sizes, damage and repair",
                subcommands: [
                    Verify.self, Check.self, Salvage.self, Rebuild.self, Erase.self, Retain.self, Compact.self,
                    ChangeKey.self, Backup.self, Restore.self, Erasures.self, Sizes.self, Stats.self, Projections.self,
                    Rows.self,
                ]),
        ])

    /// The command that the arguments name.
    ///
    /// - Throws: ``ToolError`` if there is no such command, to run it or after `help`; errors of the arguments' parser.
    static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        let parsed = Result { try parseAsRoot(arguments) }
        // Help for a command that does not exist is that of the tool, to the parser.
        if let command = try? parsed.get(), configuration.subcommands.contains(where: { $0 == type(of: command) }) {
            return command
        }
        try checkName(arguments)
        return try parsed.get()
    }

    private static func checkName(_ arguments: [String]) throws {
        let names = configuration.subcommands.map { $0._commandName } + ["help"]
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let name = words.first, !name.hasPrefix("-"), !names.contains(name) else { return }
        throw ToolError.usage("there is no command \(name)" + name.remedy(among: names))
    }
}
