import MessageStore
import MessageStoreModel

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One thing done to a store, which is never closed: as a process that is killed behind it leaves it.
enum Once {
    /// Appears in a message and in no other file of the process.
    static let secret = "the secret words"

    /// Records so many messages of half a megabyte in one commit.
    static func record(_ path: String, _ count: Int, durability: MessageStore.Configuration.Durability.Level) throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.durability.level = durability
        let store = try MessageStore.open(path, account: RandomEvents.account, configuration: configuration)
        let last = try store.lastPosition().rawValue
        let text = String(repeating: "x", count: 500_000)
        try store.record((0..<count).map { message("m\(last + UInt64($0))", text) })
        acknowledge(try store.lastPosition())
        withExtendedLifetime(store) { exit(0) }
    }

    /// Records a message, redacts it and records another one; acknowledges 1 and 2.
    static func redact(_ path: String) throws {
        let store = try MessageStore.open(path, account: RandomEvents.account, configuration: .ofTests)
        try store.record(message("secret", secret))
        acknowledge(Position(1))
        try store.redact(Position(1))
        try store.record(message("other", "other words"))
        acknowledge(Position(2))
        withExtendedLifetime(store) { exit(0) }
    }

    nonisolated(unsafe) private static var store: MessageStore?

    /// Records a message the first time and redacts it the second time; answers the last position.
    static func recordOrRedact(_ path: String) throws -> String {
        if let store {
            try store.redact(Position(1))
        } else {
            store = try MessageStore.open(path, account: RandomEvents.account, configuration: .ofTests)
            try store?.record(message("secret", secret))
        }
        return "\(try store?.lastPosition() ?? .origin)"
    }

    /// Looks for readers that died in the store that is open; answers by how many commits the oldest live one lags.
    static func countReaders() throws -> String {
        guard let store else { return "no store" }
        return "\(try store.statistics().environments.map(\.oldestReaderLag).max() ?? 0)"
    }

    private static func message(_ id: String, _ text: String) -> Event {
        .received(
            ServerMessageID(id), from: "bob", in: .group("g"), at: Timestamp(milliseconds: 1), content: .text(text))
    }
}
