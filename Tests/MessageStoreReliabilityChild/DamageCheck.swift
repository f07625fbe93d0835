import MessageStore
import MessageStoreWorkload

/// What a damaged store answers, compared with what it answered before.
///
/// The store holds messages and members with ids of a server, so that all of it, synchronised again, must add nothing.
struct DamageCheck {
    static var account: UserID { workload.directory.accountID }
    static let events = 600

    let path: String
    let reference: String
    let configuration: MessageStore.Configuration

    /// - Parameter policy: When pages are looked at, as the configuration names it.
    init(path: String, reference: String, policy: String) {
        (self.path, self.reference) = (path, reference)
        var configuration = MessageStore.Configuration.ofTests
        if policy == "always" { configuration.durability.pageCheck = .always }
        self.configuration = configuration
    }

    /// The workload of the store; small, with more conversations than fit a page.
    static var workload: WorkloadGenerator {
        var parameters = WorkloadParameters.fitted
        parameters.conversations = 60
        parameters.users = 200
        return WorkloadGenerator(parameters, eventCount: events)
    }

    /// What the store holds.
    private static let recorded: [Event] = {
        let source = workload
        return source.map { source.directory.event($0) }
    }()

    /// Makes the store that is damaged.
    static func make(at path: String) throws {
        let store = try MessageStore.open(path, account: account, configuration: .ofTests)
        for start in stride(from: 0, to: recorded.count, by: 50) {
            try store.record(Array(recorded[start..<min(start + 50, recorded.count)]))
        }
        try store.close()
    }

    /// What each way of reading and verifying say: "same", "other", or the code of an error; then how many events were
    /// recorded again.
    func answer() -> String {
        guard let expected = try? Self.readings(of: reference) else { return "the reference cannot be read" }
        var found: [String]
        do {
            let store = try MessageStore.openReadOnly(path, configuration: configuration)
            defer { try? store.close() }
            found = Reading.all.map { reading in
                Self.word { try reading.read(store) == expected[reading.name] ? "same" : "other" }
            }
            found.append(Self.word { try store.verify().isConsistent ? "same" : "other" })
        } catch {
            let word = Self.word { throw error }
            found = Reading.all.map { _ in word } + [word]
        }
        return (found + [again()]).joined(separator: "\t")
    }

    private static func word(_ body: () throws -> String) -> String {
        do { return try body() } catch let error as StoreError { return error.code.description } catch {
            return "untyped"
        }
    }

    /// Records the same events once more; answers how many were taken for new.
    private func again() -> String {
        Self.word {
            let store = try MessageStore.open(path, account: Self.account, configuration: configuration)
            defer { try? store.close() }
            let before = try store.lastPosition()
            try store.record(Self.recorded)
            return "\(try store.lastPosition().rawValue - before.rawValue)"
        }
    }

    nonisolated(unsafe) private static var known: [String: [String: AnyHashable]] = [:]

    private static func readings(of path: String) throws -> [String: AnyHashable] {
        if let readings = known[path] { return readings }
        let store = try MessageStore.openReadOnly(path, configuration: .ofTests)
        defer { try? store.close() }
        let readings = try Dictionary(uniqueKeysWithValues: Reading.all.map { ($0.name, try $0.read(store)) })
        known[path] = readings
        return readings
    }
}

/// A way of reading a store; what it answers can be compared.
struct Reading: Sendable {
    let name: String
    let read: @Sendable (MessageStore) throws -> AnyHashable

    static let all = [
        Reading(name: "list") { store in
            try store.read { views in
                let page = try views.conversations(limit: 1000)
                return AnyHashable([AnyHashable(page), AnyHashable(try views.unreadTotals())])
            }
        },
        Reading(name: "messages") { store in
            try store.read { views in
                AnyHashable(
                    try views.conversations(limit: 1000).elements.map {
                        try views.timeline(of: $0.key, limit: 1000).elements
                    })
            }
        },
        Reading(name: "log") { store in AnyHashable(try store.events(limit: .max)) },
    ]
}
