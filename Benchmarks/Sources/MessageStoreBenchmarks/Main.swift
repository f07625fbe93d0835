internal import ArgumentParser

/// The benchmarks of MessageStore.
@main
struct MessageStoreBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "MessageStoreBenchmarks", abstract: "Measures MessageStore beside its peers.",
        subcommands: [
            BulkSyncCommand.self, ScaleCommand.self, ReplayCommand.self, OpenCommand.self, ReportCommand.self,
            FillAndWaitCommand.self,
        ])
}
