internal import ArgumentParser

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The tool's entry: parses, runs, and turns errors into messages on standard error and documented exit codes.
@main
enum Main {
    static func main() {
        do {
            var command = try MessageStoreTool.parseAsRoot()
            try command.run()
        } catch {
            exit(Failure.report(error))
        }
    }
}

/// The tool's commands.
struct MessageStoreTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messagestore",
        abstract: "Look into, fill, replay and verify message stores.",
        discussion: """
            Data goes to standard output, everything else to standard error. With --json, lists are JSON lines and all \
            else is one JSON document. Reading commands open a store for reading only and may run while another \
            process writes it.

            Exit codes: 0 all is well; 1 a check failed or an input has bad content; 2 wrong usage; 3 the store is \
            missing, its log is damaged, or it cannot be used; 4 its views are damaged, which `rebuild` repairs.
            """,
        version: "0.1.0",
        subcommands: [
            Demo.self, Import.self, Conversations.self, Messages.self, Unread.self, ProfileCommand.self, Log.self,
            Rebuild.self, Verify.self, Replay.self, Stats.self,
        ])
}
