internal import Foundation
internal import MessageStore
internal import MessageStoreShipping

/// What shipping to a folder costs a sync, and how fast a new device restores against a sync of the same packages.
struct ShippingCosts {
    var events = 1_000_000
    var rounds = 3
    var directory: String

    /// What one round gave.
    private struct Round {
        var alone = 0.0
        var shipping = 0.0
        /// Seconds from the end of the sync until everything is shipped.
        var rest = 0.0
        var page = 0.0
        var restore = 0.0
        /// Seconds of the first opening of what was restored, which folds its views.
        var opening = 0.0
        var bytes = 0
    }

    func run() throws -> Section {
        var results: [Round] = []
        for round in 0..<rounds {
            Progress.say("shipping: round \(round + 1) of \(rounds)")
            results.append(try Files.withDirectory(in: directory) { try measure(in: $0) })
        }
        func median(_ value: (Round) -> Double) -> Double { Spread(results.map(value)).median }
        var section = Section(title: "Shipping to a folder")
        section.notes = [
            "\(rounds) rounds on \(events) events in packages of 200, alone and while a shipper runs; then a new device restores",
            "what was shipped and opens it, until every view is readable, as after the sync.",
        ]
        var table = Table(nil, ["", "median"])
        let (alone, restored) = (median(\.alone), Double(events) / (median(\.restore) + median(\.opening)))
        table.rows = [
            [.text("sync alone, events/s"), .number(alone)],
            [.text("sync while shipping, events/s"), .number(median(\.shipping))],
            [.text("kept"), .number(median(\.shipping) / alone)],
            [.text("shipped after the sync's end, s"), .number(median(\.rest))],
            [.text("bytes in the place, an event"), .number(median { Double($0.bytes) } / Double(events))],
            [.text("first page, ms"), .number(median(\.page) * 1000)],
            [.text("restoring, s"), .number(median(\.restore))],
            [.text("opening and folding, s"), .number(median(\.opening))],
            [.text("restored, events/s"), .number(restored)],
            [.text("restored ÷ sync alone"), .number(restored / alone)],
        ]
        section.tables = [table]
        return section
    }

    private func measure(in base: String) throws -> Round {
        let backlog = Backlog.fitted(events: events)
        var round = Round()
        let plain = try StorePeer(at: base + "/alone", backlog)
        round.alone = try SyncRun.measure(plain, backlog, packageSize: 200).readableRate
        try plain.close()

        let peer = try StorePeer(at: base + "/store", backlog)
        let carrier = try FolderCarrier(base + "/place")
        let shipper = LogShipper(of: peer.store, to: carrier)
        let shipping = Task { try await shipper.run() }
        round.shipping = try SyncRun.measure(peer, backlog, packageSize: 200).readableRate
        round.rest = try Stopwatch.seconds { _ = try Blocking.wait { try await shipper.ship() } }
        shipping.cancel()
        round.bytes = Files.diskBytes(base + "/place")
        let expected = try peer.store.digests()
        try peer.close()

        let restorer = LogRestorer(from: carrier)
        round.page = try Stopwatch.seconds {
            guard try Blocking.wait({ try await restorer.firstPage() }) != nil else {
                throw Failure("there is no page")
            }
        }
        let path = base + "/restored"
        round.restore = try Stopwatch.seconds { _ = try Blocking.wait { try await restorer.restore(to: path) } }
        round.opening = try Stopwatch.seconds {
            let store = try MessageStore.open(path, account: backlog.account)
            guard try store.digests() == expected else { throw Failure("what was restored has other views") }
            try store.close()
        }
        return round
    }
}

/// Waits for asynchronous work.
enum Blocking {
    private final class Box<Value>: @unchecked Sendable {
        var result: Result<Value, any Error>?
    }

    static func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let (box, done) = (Box<Value>(), DispatchSemaphore(value: 0))
        Task.detached {
            do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
            done.signal()
        }
        done.wait()
        guard let result = box.result else { throw Failure("no result") }
        return try result.get()
    }
}
