import MessageStore
import MessageStoreWorkload

/// How long a process that has just begun takes to open a store that was closed.
enum OpeningTimes {
    /// Makes a store of so many events.
    static func fill(_ path: String, _ events: Int) throws -> String {
        let workload = WorkloadGenerator(.fitted, eventCount: events)
        let directory = workload.directory
        let store = try MessageStore.open(path, account: directory.accountID, configuration: .ofTests)
        var batch: [Event] = []
        for event in workload {
            batch.append(directory.event(event))
            guard batch.count == 1000 else { continue }
            try store.record(batch)
            batch.removeAll(keepingCapacity: true)
        }
        try store.record(batch)
        let last = try store.lastPosition()
        try store.close()
        return "filled\t\(last)"
    }

    /// Opens a store, for reading or for writing, and reads the first page of its list; answers microseconds of both.
    static func measure(_ path: String, writes: Bool) throws -> String {
        let account = WorkloadGenerator(.fitted, eventCount: 1).directory.accountID
        let clock = ContinuousClock()
        let begin = clock.now
        let store =
            try writes
            ? MessageStore.open(path, account: account, configuration: .ofTests)
            : MessageStore.openReadOnly(path, configuration: .ofTests)
        let opened = clock.now
        guard try !store.read({ try $0.conversations(limit: 50) }).elements.isEmpty else { return "empty" }
        let listed = clock.now
        try store.close()
        return "opened\t\(microseconds(opened - begin))\t\(microseconds(listed - begin))"
    }

    private static func microseconds(_ duration: Duration) -> Int64 { Int64(duration / .microseconds(1)) }
}
