internal import ArgumentParser

/// The benchmarks of MessageStore.
@main
struct MessageStoreBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "MessageStoreBenchmarks", abstract: "Measures MessageStore beside its peers.",
        subcommands: [
            BulkSyncCommand.self, ScaleCommand.self, ReplayCommand.self, OpenCommand.self, QueriesCommand.self,
            QueryCostCommand.self, SendCommand.self, MixedCommand.self, InstructionsCommand.self, ReportCommand.self,
            FillAndWaitCommand.self, CountQueriesCommand.self, CountSyncCommand.self,
        ])
}
