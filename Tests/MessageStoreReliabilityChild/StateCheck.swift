import MessageStore
import MessageStoreModel

/// Whether the files that a crash left are a store with everything that was acknowledged, and nothing in part.
struct StateCheck {
    let path: String
    let seed: UInt64
    let acknowledged: UInt64

    init(path: String, seed: String, acknowledged: String) {
        self.path = path
        self.seed = UInt64(seed) ?? 0
        self.acknowledged = UInt64(acknowledged) ?? 0
    }

    /// "good POSITION", "bad" and why, or "error CODE".
    func answer() -> String {
        do {
            return try check()
        } catch let error as StoreError {
            return "error \(error.code.description): \(error)"
        } catch {
            return "error \(type(of: error))"
        }
    }

    private func check() throws -> String {
        let store = try MessageStore.open(path, account: RandomEvents.account, configuration: Writing.configuration)
        defer { try? store.close() }
        let last = try store.lastPosition()
        guard last.rawValue >= acknowledged else {
            return "bad: ends at \(last) after \(acknowledged) was acknowledged"
        }
        let history = try CrashHistory.of(store, at: path)
        let expected = ExpectedLog.of(seed: seed, to: last, history)
        guard expected.isBatchEnd(last) else { return "bad: ends at \(last), within a batch" }
        guard !history.isUndone else { return "bad: events are there that were cut off" }
        let events = try store.events(limit: .max)
        // A compaction may have cut some off.
        let cut = try store.statistics().cutEvents
        guard events.count + cut == Int(last.rawValue) else {
            return "bad: \(events.count) events up to \(last), and \(cut) were cut off"
        }
        for recorded in events where !expected.isEqual(recorded, at: Int(recorded.position.rawValue) - 1) {
            return "bad: another event at \(recorded.position)"
        }
        guard try store.verify().isConsistent else { return "bad: views are not what the log says" }
        // What was erased or cut off is known when it comes again.
        var stream = expected.stream
        stream.reopen()
        if !history.notNoted.isEmpty {
            stream.cut(.init(end: last, base: try store.statistics().replayStart, positions: history.notNoted))
        }
        for _ in 0..<2 {
            let reached = try store.record(stream.next()).lastPosition
            guard reached == stream.model.lastPosition else { return "bad: goes on to \(reached) after \(last)" }
        }
        guard try store.verify().isConsistent else { return "bad: cannot go on" }
        let compactions = history.cuts.count + (history.notNoted.isEmpty ? 0 : 1)
        return "good \(last) cuts \(compactions) erasures \(history.erasures.count)"
    }
}

/// What a seed's stream records.
final class ExpectedLog {
    nonisolated(unsafe) private static var known: [UInt64: ExpectedLog] = [:]

    private(set) var stream: CrashStream

    private init(seed: UInt64) { stream = CrashStream(seed: seed) }

    /// The log of a seed up to a position; kept for the next question, which one thread asks.
    static func of(seed: UInt64, to last: Position, _ history: CrashHistory) -> ExpectedLog {
        var log = known[seed] ?? ExpectedLog(seed: seed)
        let isSame = log.stream.model.lastPosition <= last && history.cuts.starts(with: log.stream.cuts)
        let isContinued =
            isSame && log.stream.erasures.isSubset(of: history.erasures)
            && log.stream.sessionEnds.isSubset(of: history.sessionEnds)
        if !isContinued { log = ExpectedLog(seed: seed) }
        known[seed] = log
        log.stream.advance(to: last, history)
        return log
    }

    func isBatchEnd(_ position: Position) -> Bool { position == .origin || stream.ends.contains(position) }

    func isEqual(_ recorded: RecordedEvent, at index: Int) -> Bool {
        let expected = stream.model.log[index]
        guard expected.conversation == recorded.event.conversation else { return false }
        return recorded.isRedacted || stream.model.redacted.contains(recorded.position.rawValue)
            || AnyHashable(expected.payload) == AnyHashable(recorded.event.payload)
    }
}
