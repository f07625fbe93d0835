import ArgumentParser
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("misspelt names, and help", .tool, .timeLimit(.minutes(30)))
struct SuggestionTests {
    init() throws {
        try place.importLines([logLine("a", id: "a")])
    }

    @Test("a misspelt command, type or field: the one that was probably meant")
    func near() throws {
        for (arguments, meant) in [
            (["conversation", place.store], "conversations"), (["lgo", place.store], "log"),
            (["log", place.store, "--type", "MessageRecieved"], "MessageReceived"),
            (["log", place.store, "--fields", "position,tpye"], "type"),
        ] {
            let run = try ToolRun(arguments)
            #expect(run.exitCode == 2 && run.output.isEmpty)
            #expect(run.errors.contains("; do you mean \(meant)?"), "\(run.errors)")
        }
    }

    @Test("a name that is like no other: all there are, of a field those of the chosen type")
    func all() throws {
        let types = try place.run("log", "--type", "list")
        #expect(types.exitCode == 2)
        for (_, name) in EventType.known { #expect(types.errors.contains(name)) }
        let fields = try place.run("log", "--type", "MessageModified", "--fields", "whichever")
        #expect(fields.exitCode == 2 && fields.errors.contains("MessageModified has message, "), "\(fields.errors)")
        #expect(try place.run("log", "--fields", "whichever").errors.contains("countsUnread"))
        #expect(try ToolRun(["whichever"]).errors.contains("there is no command whichever; there are backup, check, "))
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
