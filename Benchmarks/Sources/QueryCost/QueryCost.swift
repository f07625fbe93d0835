internal import ArgumentParser
internal import Foundation
internal import MessageStore

/// What each query costs on stores of growing size: time, and instructions where valgrind is installed.
@main
struct QueryCost: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Time and instructions of every query, on stores of 5,000 conversations and growing size.",
        subcommands: [Table.self, Count.self], defaultSubcommand: Table.self)

    /// Builds a store for each size and prints the table.
    struct Table: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Build the stores and print a table.")

        @Option(help: "Events in each store, separated by commas.")
        var sizes = "10000,100000,1000000"

        @Option(help: "Conversations in each store.")
        var conversations = 5_000

        @Option(help: "Where the stores are made.")
        var directory = NSTemporaryDirectory()

        func run() throws {
            let base = "\(directory)/messagestore-queries-\(ProcessInfo.processInfo.processIdentifier)"
            try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: base) }
            let sizes = sizes.split(separator: ",").compactMap { Int($0) }
            var columns: [(size: Int, times: [String: Duration], instructions: [String: Int])] = []
            for size in sizes {
                let path = "\(base)/\(size)"
                try QueryStore.build(at: path, events: size, conversations: conversations)
                let store = try MessageStore.open(path, account: QueryStore.account)
                let times = try Queries(store).times()
                try store.close()
                columns.append((size, times, try Callgrind.instructions(storeAt: path, in: base)))
            }
            let head = sizes.map { "µs at \($0)" } + sizes.map { "instructions at \($0)" }
            print("| query | " + head.joined(separator: " | ") + " |")
            print("| --- |" + String(repeating: " --- |", count: head.count))
            for name in Queries.names {
                let times = columns.map { $0.times[name].map { String(format: "%.1f", $0 / .microseconds(1)) } ?? "–" }
                let counts = columns.map { $0.instructions[name].map { "\($0)" } ?? "–" }
                print("| \(name) | " + (times + counts).joined(separator: " | ") + " |")
            }
        }
    }

    /// Runs each query once more under callgrind; started by the table.
    struct Count: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Run each query between callgrind's requests.")

        @Argument(help: "The store.")
        var path: String

        func run() throws {
            let store = try MessageStore.openReadOnly(path)
            try Queries(store).count()
            try store.close()
        }
    }
}
