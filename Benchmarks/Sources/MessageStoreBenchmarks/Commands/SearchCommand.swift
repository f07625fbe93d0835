internal import ArgumentParser

/// `search`: the search index and its peers.
struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search: the cost of the index, its size, and the first 20 hits, against FTS5."
    )

    @Option(
        parsing: .upToNextOption,
        help:
            "Chat logs; the sentences of the last are recombined until there are enough. Without any, texts are generated."
    )
    var logs: [String] = []

    @Option(help: "Messages.")
    var events = 1_000_000

    @Option(help: "Queries of each kind.")
    var queries = 500

    @Flag(inversion: .prefixedNo, help: "Whether FTS5 is measured as well.")
    var peers = true

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([
            Searches(logs: logs, events: events, queries: queries, directory: common.directory, hasPeers: peers).run()
        ])
    }
}
