internal import ArgumentParser

/// `scale`: one store that grows.
struct ScaleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale", abstract: "The store's sync by its size: rate, bytes written, bytes on disk.")

    @Option(parsing: .upToNextOption, help: "Events at which the store is looked at.")
    var tiers = [10_000, 100_000, 1_000_000, 10_000_000, 30_000_000]

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard tiers.allSatisfy({ $0 > 0 }) else { throw ValidationError("Tiers must be above 0.") }
    }

    func run() throws { try common.publish([Scale(tiers: tiers, directory: common.directory).run()]) }
}

/// `erase`: conversations cleared in a large log.
struct EraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Clearing conversations with their words: the median one and the largest.")

    @Option(help: "Events in the store.")
    var events = 1_000_000

    @Option(help: "Conversations of middling size that are cleared.")
    var repetitions = 20

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([Erasures(events: events, repetitions: repetitions, directory: common.directory).run()])
    }
}

/// `replay`: the log read again.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Scan, decode, fold in memory, rebuild, recovery after a kill.")

    @Option(help: "Events in the store.")
    var events = 1_000_000

    @Option(help: "Rounds; medians are printed.")
    var rounds = 3

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([Replay(events: events, rounds: rounds, directory: common.directory).run()])
    }
}

/// `replay-session`: positions of the past, forth and back.
struct ReplaySessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay-session",
        abstract: "Jumps, steps, comparisons and passes over a log's past, beside one fold.")

    @Option(help: "A store to read, in place of one that is made.")
    var store: String?

    @Option(help: "Events in the store that is made.")
    var events = 1_000_000

    @Option(help: "Jumps and steps.")
    var repetitions = 200

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard events > 0, repetitions > 0 else { throw ValidationError("--events and --repetitions must be above 0") }
    }

    func run() throws {
        try common.publish([
            ReplaySessions(store: store, events: events, repetitions: repetitions, directory: common.directory).run()
        ])
    }
}

/// `open`: openings of closed and killed stores.
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Time to open a closed store, and one that was killed with a full buffer.")

    @Option(help: "Events in the store.")
    var events = 1_000_000

    @Option(help: "Openings of each kind; medians are printed.")
    var repetitions = 7

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([
            OpenTimes(events: events, repetitions: repetitions, directory: common.directory).run()
        ])
    }
}

/// `sealed`: a sealed store against a clear one.
struct SealedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sealed",
        abstract: "Syncs, pages, replays, openings and files of a sealed store against a clear one.")

    @Option(help: "Events in the stores.")
    var events = 1_000_000

    @Option(help: "Rounds of syncs and replays; medians are printed.")
    var rounds = 3

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard events >= 1_000, rounds > 0 else { throw ValidationError("At least 1,000 events and one round.") }
    }

    func run() throws {
        try common.publish([SealedStores(events: events, rounds: rounds, directory: common.directory).run()])
    }
}

/// `compaction`: copies of a store, and what they cost a sync.
struct CompactionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compaction", abstract: "Compaction and backup, alone and next to a sync.")

    @Option(help: "Events in the store, and in the sync.")
    var events = 1_000_000

    @Option(help: "Rounds; medians are printed.")
    var rounds = 3

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([Compactions(events: events, rounds: rounds, directory: common.directory).run()])
    }
}

/// `accounts`: many accounts in one process.
struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Many accounts: sends to open and closed stores, and their cost.")

    @Option(help: "Accounts.")
    var accounts = 10_000

    @Option(help: "Stores that are open at a time, fewer than half of the accounts.")
    var openStores = 400

    @Option(help: "Sends of each kind.")
    var sends = 4_000

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard openStores > 1, accounts > 2 * openStores, sends > 0 else {
            throw ValidationError("Counts must be above 0, and --accounts more than twice --open-stores.")
        }
    }

    func run() throws {
        try common.publish([
            Accounts(accounts: accounts, openStores: openStores, sends: sends, directory: common.directory).run()
        ])
    }
}

/// `shipping`: a log on its way to another place, and back.
struct ShippingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shipping", abstract: "Shipping to a folder next to a sync, and restoring from it.")

    @Option(help: "Events of the sync.")
    var events = 1_000_000

    @Option(help: "Rounds.")
    var rounds = 3

    @Option(parsing: .upToNextOption, help: "Numbers of small accounts to ship.")
    var accounts = [1, 100, 10_000]

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.publish([
            ShippingCosts(events: events, rounds: rounds, directory: common.directory).run(),
            ShippedAccounts(counts: accounts, directory: common.directory).run(),
        ])
    }
}

/// `group-commit`: what sharing flushes gains where a flush is dear.
struct GroupCommitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group-commit", abstract: "Packages durable one by one against several that share a flush.")

    @Option(help: "Events in the backlog.")
    var events = 100_000

    @Option(help: "Rounds; medians are printed.")
    var rounds = 3

    @Option(help: "Milliseconds that every flush of the store and of SQLite takes longer.")
    var flushDelay = 5

    @Option(help: "Packages in a transaction of SQLite; as many as shared a flush of the store if none is given.")
    var packagesInTransaction: Int?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard events > 0, rounds > 0, packagesInTransaction.map({ $0 > 0 }) ?? true, (0...60_000).contains(flushDelay)
        else { throw ValidationError("Counts must be above 0, and a delay at most a minute.") }
    }

    func run() throws {
        try common.publish([
            GroupCommit(
                events: events, rounds: rounds, flushDelay: flushDelay, packagesInTransaction: packagesInTransaction,
                directory: common.directory
            ).run()
        ])
    }
}
