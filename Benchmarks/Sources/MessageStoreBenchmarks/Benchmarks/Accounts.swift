internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// Many accounts in one process: what a send to an open store and to a closed one takes, and what open stores cost.
struct Accounts {
    var accounts = 10_000
    var openStores = 400
    var sends = 4_000
    var directory: String

    /// Messages in each store before.
    private static let messages = 20

    func run() throws -> Section {
        try Files.withDirectory(in: directory) { base in
            let stores = AccountStores(at: base + "/accounts")
            Progress.say("accounts: making \(accounts) stores")
            let making = try Stopwatch.seconds { try make(stores) }
            let alone = try sendsAlone(base + "/alone")
            let (before, threadsBefore) = (ProcessFiles.anonymousMemory() ?? 0, Self.status("Threads:"))
            let pool = AccountPool(stores, openStores: openStores)
            Progress.say("accounts: opening \(openStores)")
            let opening = Spread(
                try (0..<openStores).map { index in
                    try Stopwatch.seconds { try pool.withStore(account(index)) { _ in } } * 1e6
                })
            let (idle, idleFiles) = (ProcessFiles.anonymousMemory() ?? 0, Self.descriptors())
            let quiet = try sendsToOpen(pool)
            // From here on, the order of the uses is known.
            for index in 0..<openStores { try pool.withStore(account(index)) { _ in } }
            let (open, closed) = try sendsInPool(pool)
            let (used, files) = (ProcessFiles.anonymousMemory() ?? 0, Self.descriptors())
            let threads = Self.status("Threads:")
            pool.close()
            var section = Section(title: "Many accounts")
            section.notes = [
                "\(accounts) stores with \(Self.messages) messages each, made in \(Int(making)) s; at most \(openStores) are open.",
                "\(sends) sends to open stores and as many to closed ones, opening included, in turns; each closed one takes the",
                "place of another.",
            ]
            section.tables = [
                times([
                    ("a lone store", alone), ("an open store", quiet),
                    ("an open store while others are closed", open), ("a closed store", closed), ("opening", opening),
                ]),
                costs([
                    ("\(openStores) stores opened", idle - before, idleFiles, nil),
                    ("the same, after the sends", used - before, files, threads.map { $0 - (threadsBefore ?? 0) }),
                ]),
            ]
            return section
        }
    }

    private func account(_ index: Int) -> UserID { UserID("user-\(index)") }

    private func message(_ number: Int) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "bob", in: .group("g\(number % 5)"),
            at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)), content: .text("message \(number)"))
    }

    private func make(_ stores: AccountStores) throws {
        var configuration = MessageStore.Configuration()
        configuration.durability.level = .relaxed
        for index in 0..<accounts {
            let store = try stores.open(account(index), configuration: configuration)
            try store.record((0..<Self.messages).map { message($0) })
            try store.close()
        }
    }

    private func sendsAlone(_ path: String) throws -> Spread {
        let store = try MessageStore.open(path, account: "alone")
        try store.record((0..<Self.messages).map { message($0) })
        let times = try (0..<sends).map { index in
            try Stopwatch.seconds { try store.record(message(Self.messages + index)) } * 1e6
        }
        try store.close()
        return Spread(times)
    }

    /// Microseconds of sends to stores that are open, when none is opened or closed.
    private func sendsToOpen(_ pool: AccountPool) throws -> Spread {
        var random = SplitMix64(seed: 2)
        return Spread(
            try (0..<sends).map { number in
                let account = account(random.nextIndex(openStores))
                return try Stopwatch.seconds {
                    try pool.withStore(account) { store in
                        _ = try store.record(message(Self.messages + sends + number))
                    }
                } * 1e6
            })
    }

    /// Microseconds of sends to stores that were used before, and to others.
    private func sendsInPool(_ pool: AccountPool) throws -> (open: Spread, closed: Spread) {
        Progress.say("accounts: \(sends) sends each")
        var (open, closed): ([Double], [Double]) = ([], [])
        var random = SplitMix64(seed: 1)
        // Stores are used in turn, so that the next one is closed and the last ones are open.
        var last = openStores - 1
        for number in 0..<sends {
            let next = (last + 1) % accounts
            for (index, isOpen) in [(last - random.nextIndex(openStores / 2), true), (next, false)] {
                let openings = pool.openings
                let time = try Stopwatch.seconds {
                    try pool.withStore(account((index + accounts) % accounts)) { store in
                        _ = try store.record(message(Self.messages + number))
                    }
                }
                guard (pool.openings == openings) == isOpen else { throw Failure("a store was not as it should be") }
                if isOpen { open.append(time * 1e6) } else { closed.append(time * 1e6) }
            }
            last = next
        }
        return (Spread(open), Spread(closed))
    }

    private static func descriptors() -> Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private static func status(_ key: String) -> Int? { ProcessFiles.value(key, in: "/proc/self/status") }

    private func times(_ rows: [(String, Spread)]) -> Table {
        var table = Table("A send", ["to", "median in µs", "p99 in µs", "max in µs", "median against a lone store"])
        let lone = rows[0].1.median
        for (name, spread) in rows {
            table.rows.append([
                .text(name), .number(spread.median), .number(spread.percentile(99)), .number(spread.max),
                .number(spread.median / lone),
            ])
        }
        return table
    }

    private func costs(_ rows: [(String, memory: Int, descriptors: Int?, threads: Int?)]) -> Table {
        var table = Table(
            "What open stores cost", ["", "memory in MB", "KB a store", "descriptors of the process", "threads more"])
        for (name, memory, descriptors, threads) in rows {
            table.rows.append([
                .text(name), .number(Double(memory) / 1e6), .number(Double(memory) / 1024 / Double(openStores)),
                .number(descriptors), .number(threads),
            ])
        }
        return table
    }
}
