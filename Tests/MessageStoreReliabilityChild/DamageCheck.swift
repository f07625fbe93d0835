import MessageStore
import MessageStoreTestKit

/// What a damaged store answers, compared with what it answered before.
///
/// The store holds messages and members with ids of a server, so that all of it, synchronised again, must add nothing.
struct DamageCheck {
    static let account: UserID = "me"
    static let events = 1_500

    let path: String
    let reference: String

    /// The workload of the store; small, with more conversations than fit a page.
    static var workload: WorkloadGenerator {
        var parameters = WorkloadParameters.fitted
        parameters.conversations = 60
        parameters.users = 200
        return WorkloadGenerator(parameters, eventCount: events)
    }

    /// Makes the store that is damaged.
    static func make(at path: String) throws {
        let store = try MessageStore.open(path, account: workload.directory.accountID)
        let directory = workload.directory
        var batch: [Event] = []
        for event in workload {
            batch.append(directory.event(event))
            if batch.count == 50 {
                try store.record(batch)
                batch = []
            }
        }
        try store.record(batch)
        try store.close()
    }

    /// What each way of reading says: "same", "other", or the code of an error; then how many events were recorded again.
    func answer() -> String {
        guard let expected = try? Self.readings(of: reference) else { return "the reference cannot be read" }
        let found: [String]
        do {
            let store = try MessageStore.openReadOnly(path)
            found = Reading.all.map { reading in
                Self.word { try reading.text(store) == expected[reading.name] ? "same" : "other" }
            }
            try? store.close()
        } catch let error as StoreError {
            found = Reading.all.map { _ in error.code.description }
        } catch {
            found = Reading.all.map { _ in "untyped" }
        }
        return (found + [verification(), again()]).joined(separator: "\t")
    }

    private static func word(_ body: () throws -> String) -> String {
        do { return try body() } catch let error as StoreError { return error.code.description } catch {
            return "untyped"
        }
    }

    private func verification() -> String {
        Self.word {
            let store = try MessageStore.openReadOnly(path)
            defer { try? store.close() }
            return try store.verify().isConsistent ? "same" : "other"
        }
    }

    /// Records the same events once more; answers how many were taken for new.
    private func again() -> String {
        Self.word {
            let workload = Self.workload
            let store = try MessageStore.open(path, account: workload.directory.accountID)
            defer { try? store.close() }
            let before = try store.lastPosition()
            try store.record(workload.map { workload.directory.event($0) })
            return "\(try store.lastPosition().rawValue - before.rawValue)"
        }
    }

    nonisolated(unsafe) private static var known: [String: [String: String]] = [:]

    private static func readings(of path: String) throws -> [String: String] {
        if let readings = known[path] { return readings }
        let store = try MessageStore.openReadOnly(path)
        defer { try? store.close() }
        let readings = try Dictionary(uniqueKeysWithValues: Reading.all.map { ($0.name, try $0.text(store)) })
        known[path] = readings
        return readings
    }
}

/// A way of reading a store, as text.
struct Reading: Sendable {
    let name: String
    let text: @Sendable (MessageStore) throws -> String

    static let all = [
        Reading(name: "list") { store in
            try store.read { views in
                "\(try views.conversations(limit: 1000))\(try views.unreadTotals())"
            }
        },
        Reading(name: "messages") { store in
            try store.read { views in
                var text = ""
                for conversation in try views.conversations(limit: 1000).conversations {
                    text += "\(try views.timeline(of: conversation.key, limit: 1000).messages)"
                }
                return text
            }
        },
        Reading(name: "log") { store in "\(try store.events(limit: .max))" },
    ]
}
