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
        let expected = ExpectedLog.of(seed: seed, to: last.rawValue)
        guard expected.isBatchEnd(last.rawValue) else { return "bad: ends at \(last), within a batch" }
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
        let position = try store.record(Event(OfflineSyncCompleted()))
        guard position?.rawValue == last.rawValue + 1, try store.verify().isConsistent else {
            return "bad: cannot go on"
        }
        return "good \(last)"
    }
}

/// What a seed's stream records.
final class ExpectedLog {
    nonisolated(unsafe) private static var known: [UInt64: ExpectedLog] = [:]

    private var stream: CrashStream

    private init(seed: UInt64) { stream = CrashStream(seed: seed) }

    /// The log of a seed at least up to a position; kept for the next question, which one thread asks.
    static func of(seed: UInt64, to position: UInt64) -> ExpectedLog {
        let log = known[seed] ?? ExpectedLog(seed: seed)
        known[seed] = log
        while log.stream.model.lastPosition.rawValue < position {
            _ = log.stream.next()
        }
        return log
    }

    func isBatchEnd(_ position: UInt64) -> Bool { position == 0 || stream.ends.contains(Position(position)) }

    /// Which messages a clearing erases depends on the clock of whoever recorded it.
    func isEqual(_ recorded: RecordedEvent, at index: Int) -> Bool {
        let expected = stream.model.log[index]
        guard expected.conversation == recorded.event.conversation else { return false }
        return recorded.isRedacted || stream.model.redacted.contains(recorded.position.rawValue)
            || AnyHashable(expected.payload) == AnyHashable(recorded.event.payload)
    }
}
