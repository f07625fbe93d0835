internal import ArgumentParser

/// The benchmarks of MessageStore.
@main
struct MessageStoreBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "MessageStoreBenchmarks", abstract: "Measures MessageStore beside its peers.",
        discussion: """
            `swift run -c release --package-path Benchmarks MessageStoreBenchmarks all --output DIR` measures \
            everything and writes a report. Peers are LMDB alone, RocksDB (librocksdb-dev), and GRDB on SQLite. \
            Durable commits cost what the disk makes of them: --directory should name the disk that is meant, and \
            /tmp may not be one; `bulk-sync --flush-delay 0,1,5` makes every wait for the medium that many milliseconds \
            longer, for every peer alike. What is compared takes turns in one process, and views that differ from a plain \
            recount of the events end the run with an error instead of a number.
            """,
        subcommands: [
            AllCommand.self, BulkSyncCommand.self, ChatSyncCommand.self, ScaleCommand.self, ReplayCommand.self,
            ReplaySessionCommand.self, EraseCommand.self,
            OpenCommand.self, SealedCommand.self, CompactionCommand.self, AccountsCommand.self, ShippingCommand.self,
            QueriesCommand.self, QueryCostCommand.self, GroupCommitCommand.self, SendCommand.self, MixedCommand.self,
            LiveCommand.self, SearchCommand.self,
            InstructionsCommand.self,
            ReportCommand.self, FillAndWaitCommand.self, CountQueriesCommand.self, CountRecordsCommand.self,
            CountSyncCommand.self, ChatSyncChildCommand.self,
        ])
}
