internal import Foundation
internal import MessageStore

/// What a send of each peer costs the medium, counted while the others do nothing.
struct SendCosts {
    /// One peer's.
    struct Cost {
        var flushes: Double?
        /// Bytes passed to calls that write.
        var bytes: Double?
        /// Flushes of a send after which nothing more is sent.
        var loneFlushes: Double?
    }

    /// Sends that are counted, of each peer.
    static let sends = 100
    /// After so long without a send the store writes its views.
    static let idleDelay = Duration.milliseconds(200)
    /// How long a lone send stays alone.
    static let pause = Duration.milliseconds(600)
    private static let loneSends = 5

    let store: Cost
    let raw: Cost
    let sqlite: Cost

    init(_ senders: Senders) throws {
        try Flushes.check()
        Progress.say("send: flushes of \(Self.sends) sends each")
        store = try Self.cost(of: senders.sendToStore)
        raw = try Self.cost(of: senders.sendToRaw)
        sqlite = try Self.cost(of: senders.sendToSQLite)
    }

    private static func cost(of send: () throws -> Void) throws -> Cost {
        // What was left to write is written before.
        Thread.sleep(forTimeInterval: pause / .seconds(1))
        let stream = try counters { for _ in 0..<sends { try send() } }
        Thread.sleep(forTimeInterval: pause / .seconds(1))
        let lone = try counters {
            for _ in 0..<loneSends {
                try send()
                Thread.sleep(forTimeInterval: pause / .seconds(1))
            }
        }
        return Cost(
            flushes: stream.flushes.map { Double($0) / Double(sends) },
            bytes: stream.bytesPassed.map { Double($0) / Double(sends) },
            loneFlushes: lone.flushes.map { Double($0) / Double(loneSends) })
    }

    private static func counters(_ body: () throws -> Void) rethrows -> ProcessCounters {
        let before = ProcessCounters.now()
        try body()
        return ProcessCounters.now() - before
    }
}
