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
            "one more message. Opening and closing are not counted.",
        ]
        var table = Table(
            nil, ["accounts", "first round, ms", "next round, ms", "objects an account", "bytes an account"])
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
        var (first, next): ([Double], [Double]) = ([], [])
        for index in 0..<count {
            let store = try stores.open(UserID("user-\(index)"))
            try store.record((0..<Self.messages).map(message))
            let shipper = LogShipper(of: store, to: try FolderCarrier(place + "/\(index)"))
            first.append(try Stopwatch.seconds { _ = try Blocking.wait { try await shipper.ship() } } * 1000)
            try store.record([message(Self.messages)])
            next.append(try Stopwatch.seconds { _ = try Blocking.wait { try await shipper.ship() } } * 1000)
            try store.close()
        }
        let names = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
        var isDirectory = ObjCBool(false)
        let objects = names.count {
            FileManager.default.fileExists(atPath: place + "/" + $0, isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }
        return [
            .number(count), .number(Spread(first).median), .number(Spread(next).median),
            .number(Double(objects) / Double(count)), .number(Double(Files.diskBytes(place)) / Double(count)),
        ]
    }

    private func message(_ number: Int) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "bob", in: .group("g\(number % 5)"),
            at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)), content: .text("message \(number)"))
    }
}
