internal import Foundation
internal import MessageStore
internal import MessageStoreShipping

/// What shipping costs a gateway with many small accounts: a place for each, in one folder.
struct ShippedAccounts {
    var counts = [1, 100, 10_000]
    var directory: String

    /// Messages in each store before.
    private static let messages = 20

    func run() throws -> Section {
        var section = Section(title: "Shipping many accounts")
        section.notes = [
            "Stores with \(Self.messages) messages each, opened one after the other: a first round, which puts a base, and a round after",
            "one more message. Opening and closing are not counted. Calls are medians: those that write or list, and those that",
            "read. The bytes are the place's at the end.",
        ]
        var table = Table(
            nil,
            [
                "accounts", "first round, ms", "next round, ms", "calls of the first", "calls of the next",
                "objects an account", "bytes an account",
            ])
        for count in counts {
            Progress.say("shipping: \(count) accounts")
            try Files.withDirectory(in: directory) { base in table.rows.append(try measure(count, base)) }
        }
        section.tables = [table]
        return section
    }

    private func measure(_ count: Int, _ base: String) throws -> [Cell] {
        let stores = AccountStores(at: base + "/accounts")
        let place = base + "/places"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        var (first, next) = (Rounds(), Rounds())
        for index in 0..<count {
            let store = try stores.open(UserID("user-\(index)"))
            try store.record((0..<Self.messages).map(message))
            let carrier = CountedCarrier(try FolderCarrier(place + "/\(index)"))
            let shipper = LogShipper(of: store, to: carrier)
            try first.add(shipper, carrier)
            try store.record([message(Self.messages)])
            try next.add(shipper, carrier)
            try store.close()
        }
        let names = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
        var isDirectory = ObjCBool(false)
        let objects = names.count {
            FileManager.default.fileExists(atPath: place + "/" + $0, isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }
        return [
            .number(count), .number(Spread(first.milliseconds).median), .number(Spread(next.milliseconds).median),
            .text(first.calls), .text(next.calls),
            .number(Double(objects) / Double(count)), .number(Double(Files.diskBytes(place)) / Double(count)),
        ]
    }

    /// Rounds of the same kind, one of each account.
    private struct Rounds {
        var milliseconds: [Double] = []
        private var writing: [Double] = []
        private var reading: [Double] = []

        mutating func add(_ shipper: LogShipper, _ carrier: CountedCarrier<FolderCarrier>) throws {
            milliseconds.append(try Stopwatch.seconds { _ = try Blocking.wait { try await shipper.ship() } } * 1000)
            let calls = carrier.takeCalls()
            writing.append(Double(calls.writing))
            reading.append(Double(calls.reading))
        }

        var calls: String { "\(Int(Spread(writing).median)) + \(Int(Spread(reading).median))" }
    }

    private func message(_ number: Int) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "bob", in: .group("g\(number % 5)"),
            at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)), content: .text("message \(number)"))
    }
}
