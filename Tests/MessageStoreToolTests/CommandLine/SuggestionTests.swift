import ArgumentParser
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("misspelt names, and help", .tool, .timeLimit(.minutes(30)))
struct SuggestionTests {
    init() throws {
        try place.importLines([logLine("a", id: "a")])
    }

    @Test("a misspelt command, type or field: the one that was probably meant, or all there are")
    func near() throws {
        for (arguments, meant) in [
            (["conversation", place.store], "conversations"), (["lgo", place.store], "log"),
            (["lgo", "--help"], "log"), (["help", "lgo"], "log"),
            (["log", place.store, "--type", "MessageRecieved"], "MessageReceived"),
            (["log", place.store, "--fields", "position,tpye"], "type"),
        ] {
            try ToolRun(arguments).ended(2, output: "", saying: "; do you mean \(meant)?")
        }
        let types = try place.run("log", "--type", "list").ended(2)
        for (_, name) in EventType.known { #expect(types.errors.contains(name)) }
        try place.run("log", "--type", "MessageModified", "--fields", "whichever").ended(
            2, saying: "MessageModified has message, ")
        #expect(try place.run("log", "--fields", "whichever").errors.contains("countsUnread"))
        let errors = try ToolRun(["whichever"]).errors
        #expect(errors.contains("there is no command whichever; there are backup, change-key, check, "))
    }

    @Test("help groups all commands, and shows a default as it is typed")
    func help() throws {
        let help = try ToolRun(["--help"]).succeeded()
        for group in RootCommand.configuration.groupedSubcommands {
            #expect(help.output.uppercased().contains(group.name.uppercased()))
            for command in group.subcommands { #expect(help.output.contains("  \(command._commandName)")) }
        }
        let replay = try ToolRun(["replay", "--help"]).output
        #expect(replay.contains("-1") && !replay.contains("position(-1)"))
    }
}
