internal import ArgumentParser

/// `queries`: the queries of a chat's screens beside SQLite.
struct QueriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queries", abstract: "List, timeline, counters, message, profile: the store beside GRDB.")

    @Option(help: "Events in both stores.")
    var events = 1_000_000

    @Option(help: "Conversations in both stores.")
    var conversations = 5_000

    @Option(help: "Runs of each query.")
    var repetitions = 1_000

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([
            QueryTimes(
                events: events, conversations: conversations, repetitions: repetitions, directory: common.directory
            ).run()
        ])
    }
}

/// `query-cost`: every query on stores of growing size.
struct QueryCostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query-cost",
        abstract: "Time and instructions of every query, on stores of 5,000 conversations and growing size.")

    @Option(help: "Events in each store, separated by commas.")
    var sizes = "10000,100000,1000000"

    @Option(help: "Conversations in each store.")
    var conversations = 5_000

    @OptionGroup var common: CommonOptions

    func run() throws {
        let sizes = sizes.split(separator: ",").compactMap { Int($0) }
        try common.publish([
            QueryCost(sizes: sizes, conversations: conversations, directory: common.directory).run()
        ])
    }
}

/// `send`: one message at a time.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "One durable send beside a raw LMDB commit and a GRDB insert.")

    @Option(help: "Events that are in the stores before.")
    var events = 100_000

    @Option(help: "Sends of each peer.")
    var sends = 1_000

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([SendTimes(events: events, sends: sends, directory: common.directory).run()])
    }
}

/// `mixed`: a sync while the app reads.
struct MixedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mixed", abstract: "A sync beside a reader at 60 Hz and an observer of the list.")

    @Option(help: "Events in the backlog.")
    var events = 1_000_000

    @Option(help: "Rounds; medians are printed.")
    var rounds = 3

    @OptionGroup var common: CommonOptions

    func run() throws { try common.publish([Mixed(events: events, rounds: rounds, directory: common.directory).run()]) }
}

/// `live`: a sync under live values.
struct LiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live", abstract: "A sync under live values on the main actor.")

    @Option(help: "Events in the backlog.")
    var events = 1_000_000

    @Option(help: "Rounds; medians are printed.")
    var rounds = 3

    @Option(help: "Live values, each of another conversation.")
    var values = 100

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([
            LiveValues(events: events, rounds: rounds, values: values, directory: common.directory).run()
        ])
    }
}

/// `instructions`: what a sync costs the processor, whatever else the machine does.
struct InstructionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instructions", abstract: "Instructions of a sync for each message, under callgrind.")

    @Option(help: "Events in the backlog.")
    var events = 20_000

    @Option(help: "Events in a package.")
    var packageSize = 200

    @OptionGroup var options: WorkloadOptions

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([
            Instructions(
                events: events, packageSize: packageSize, workload: options.workload, directory: common.directory
            ).run()
        ])
    }
}
