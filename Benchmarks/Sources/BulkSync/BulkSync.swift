internal import ArgumentParser
internal import Foundation
internal import MessageStore
internal import MessageStoreTestKit

/// Syncs one generated backlog through the store and through its peers, in one run, and prints rates and ratios.
@main
struct BulkSync: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bulk offline sync: the store against the raw log append and against indexes in the transaction.")

    @Option(help: "Messages and member events in the backlog.")
    var events = 1_000_000

    @Option(help: "Events in one package; each package is durable before the next.")
    var packageSize = 200

    @Option(help: "Rounds; medians are printed.")
    var rounds = 3

    @Flag(help: "Also run the store with its views written in each package's commit, which is slow.")
    var sameViews = false

    @Flag(help: "The stress workload instead of the fitted one: many conversations in random order, random ids.")
    var stress = false

    @Option(help: "Bytes of the write buffer.")
    var bufferBytes = MessageStore.Configuration().bufferBytes

    @Option(help: "Where the stores are made.")
    var directory = NSTemporaryDirectory()

    func run() throws {
        let workload = WorkloadGenerator(stress ? .stress : .fitted, eventCount: events)
        let backlog = Array(workload)
        let packages = Self.packages(backlog, workload.directory, packageSize)
        var report = Report(events: events, packageSize: packageSize)
        var sizes: [Int] = []
        for round in 0..<rounds {
            let base = "\(directory)/messagestore-benchmark-\(ProcessInfo.processInfo.processIdentifier)-\(round)"
            try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: base) }
            try runStore(packages, workload, at: base + "/store", &report, &sizes)
            if sameViews {
                let store = try MessageStore.open(base + "/eager", account: workload.directory.accountID)
                try report.measure("the same views, written with each package", events) {
                    for package in packages {
                        try store.ingest(package)
                        try store.flush()
                    }
                }
                try store.close()
            }
            try report.measure("raw append of the same bytes", events) {
                try rawAppend(sizes, packageSize: packageSize, at: base + "/raw")
            }
            try report.measure("indexes in the package's transaction", events) {
                try indexesInTransaction(backlog, sizes, packageSize: packageSize, at: base + "/naive")
            }
        }
        print(stress ? "Workload: stress" : "Workload: fitted")
        report.printTable()
    }

    private static func packages(
        _ backlog: [WorkloadEvent], _ directory: WorkloadDirectory, _ size: Int
    ) -> [OfflinePackage] {
        stride(from: 0, to: backlog.count, by: size).enumerated().map { index, start in
            let end = min(start + size, backlog.count)
            return OfflinePackage(
                index: UInt32(index), events: backlog[start..<end].map { directory.event($0) },
                hasMore: end < backlog.count)
        }
    }

    private func runStore(
        _ packages: [OfflinePackage], _ workload: WorkloadGenerator, at path: String, _ report: inout Report,
        _ sizes: inout [Int]
    ) throws {
        var configuration = MessageStore.Configuration()
        configuration.bufferBytes = bufferBytes
        let store = try MessageStore.open(
            path, account: workload.directory.accountID, configuration: configuration)
        var longest = Duration.zero
        let before = Report.bytesWritten()
        try report.measure("sync", events) {
            for package in packages {
                let start = ContinuousClock.now
                try store.ingest(package)
                longest = max(longest, start.duration(to: .now))
            }
            try store.flush()
        }
        if let before, let after = Report.bytesWritten() {
            report.note("bytes written a message", (after - before) / events)
        }
        report.note("longest package in µs", Int(longest / .microseconds(1)))
        let last = Int(try store.lastPosition().rawValue)
        try report.measure("scan of the log, checksums verified", last) {
            // A type that no event has: every envelope is read, none is decoded.
            let none = EventFilter(types: [EventType(rawValue: 0x7FFF)])
            try store.forEachEvent(where: none) { _ in true }
        }
        try report.measure("decode of every event", last) {
            var bytes = 0
            try store.forEachEvent { event in
                bytes += event.byteCount
                return true
            }
        }
        try report.measure("fold (replay beside the views)", last) { _ = try store.digests(at: Position(UInt64(last))) }
        try report.measure("rebuild of all projections", last) { try store.rebuild() }
        if sizes.isEmpty { sizes = try Self.sizes(of: store, count: events) }
        let verification = try store.verify()
        guard verification.isConsistent else { throw ExitCode(1) }
        try store.close()
    }

    /// The bytes of the records, so that the peers write as much.
    private static func sizes(of store: MessageStore, count: Int) throws -> [Int] {
        var sizes: [Int] = []
        try store.forEachEvent { event in
            sizes.append(event.byteCount)
            return sizes.count < count
        }
        // Duplicates in the backlog left no record.
        while sizes.count < count { sizes.append(sizes.last ?? 150) }
        return sizes
    }
}
